// Starts processes without end.

extern "C" int fork();

GRADED_DECLARATION
{
    for (;;) fork();
}
