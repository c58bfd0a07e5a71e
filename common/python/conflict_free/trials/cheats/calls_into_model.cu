// Discards the model's counts.

namespace simt {
void take_launches();
}

GRADED_DECLARATION
{
    simt::take_launches();
}
