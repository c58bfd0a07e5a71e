// Ends the process that waits for it.

extern "C" int kill(int, int);
extern "C" int getppid();

GRADED_DECLARATION
{
    kill(getppid(), 9);
}
