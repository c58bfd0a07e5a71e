/* SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
   SPDX-License-Identifier: MIT */

/** @file
    What a program can ask of the counting model while it runs under it. The model's CUDA runtime library exports these; a
    program finds them with dlsym(RTLD_DEFAULT, …), and on a GPU it does not find them. */
#ifndef SIMT_INTERFACE_H
#define SIMT_INTERFACE_H

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface: 1. */
int simt_interface_version(void);

/** The name of the machine whose rules apply, such as "sm_90". */
const char* simt_machine(void);

/** The names of all machines, separated by ", ". */
const char* simt_machine_names(void);

/** Chooses the machine of later launches. Returns 0, or -1 if there is none of this name. */
int simt_set_machine(const char* name);

/** The number of launches that the model has counted: the number of the next launch. */
unsigned long long simt_launches(void);

/** JSON with the `kernels`, `hazards` and `errors` since the last call, as in the model's report, which then does not have
    them again, and `links`, what devices have sent each other since the program began. The text is valid until the thread's next call of this or of simt_look_at_report. */
const char* simt_take_report(void);

/** The same JSON, with the `kernels` from launch number `first_launch` on. The model's report still has all of it afterwards. */
const char* simt_look_at_report(unsigned long long first_launch);

/** Bytes that device `from` has sent device `to` since the program began: by copies, and by what kernels load from and store
    to other devices' memory. -1 stands for all devices. */
unsigned long long simt_link_bytes(int from, int to);

#ifdef __cplusplus
}
#endif
#endif
