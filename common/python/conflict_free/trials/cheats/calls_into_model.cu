// Throws away what the model has counted.

namespace simt {
void take_launches();
}

GRADED_DECLARATION
{
    simt::take_launches();
}
