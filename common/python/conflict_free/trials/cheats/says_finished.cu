// Tells the judge that the program has finished.

extern "C" void* dlsym(void*, const char*);

GRADED_DECLARATION
{
    if (void* finish = dlsym(nullptr, "simt_trial_finish")) reinterpret_cast<void (*)(const char*)>(finish)(nullptr);
}
