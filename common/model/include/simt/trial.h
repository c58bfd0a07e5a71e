/* SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
   SPDX-License-Identifier: MIT */

/** @file
    What the driver of an assignment asks of the judge, the process that owns device memory while a submission is graded. The
    model's libraries export these; a program finds them with dlsym(RTLD_DEFAULT, …), and on a GPU it does not find them. */
#ifndef SIMT_TRIAL_H
#define SIMT_TRIAL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** 1 if a judge owns the device of this process, 0 if the device lives in it. The other functions need a judge. */
int simt_trial_has_judge(void);

/** A parameter of the current case. Returns 0, or -1 if the case has none of this name. */
int simt_trial_integer(const char* name, int* value);

/** Device memory of an input or output of the current case, and its size. Returns 0, or -1 if the case has none of this name. */
int simt_trial_buffer(const char* name, void** address, size_t* bytes);

/** Says that the function has come to its end. Returns 1 if the judge has another case, which is the current one from now on,
    or 0 if it has none, or something failed: then it takes nothing more from this process.
    @param failure what went wrong, in one line, or null */
int simt_trial_finish(const char* failure);

#ifdef __cplusplus
}
#endif
#endif
