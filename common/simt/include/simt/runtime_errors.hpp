// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The error codes of the CUDA runtime that programs meet or name, with CUDA's own numbers.
#pragma once

/// Name, number and description of each code.
#define SIMT_CUDA_ERRORS(X)                                                                     \
    X(cudaSuccess, 0, "no error")                                                               \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                             \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                            \
    X(cudaErrorInitializationError, 3, "initialization error")                                  \
    X(cudaErrorCudartUnloading, 4, "driver shutting down")                                      \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                       \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                 \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                      \
    X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                  \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                              \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                 \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
    X(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable")     \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                            \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                             \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                    \
    X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                           \
    X(cudaErrorNotReady, 600, "device not ready")                                               \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                 \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")            \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                   \
    X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                 \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                     \
    X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
    X(cudaErrorHardwareStackError, 714, "hardware stack error")                                 \
    X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")               \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                                    \
    X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space") \
    X(cudaErrorInvalidPc, 718, "invalid program counter")                                       \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")         \
    X(cudaErrorNotPermitted, 800, "operation not permitted")                                    \
    X(cudaErrorNotSupported, 801, "operation not supported")                                    \
    X(cudaErrorUnknown, 999, "unknown error")

#define SIMT_ENUMERATOR(name, number, text) name = number,
enum cudaError { SIMT_CUDA_ERRORS(SIMT_ENUMERATOR) };
#undef SIMT_ENUMERATOR

using cudaError_t = cudaError;

namespace simt::detail {

/// Keeps `error` for cudaGetLastError() and returns it.
cudaError_t set_last_error(cudaError_t error);

/// The most dynamic shared memory, in bytes, that a launch may ask for: 48 KiB until cudaFuncSetAttribute() raises it,
/// and never more than a block of the machine can have. The model does not know which kernel the limit was raised for:
/// the largest limit of any kernel holds for all.
unsigned long dynamic_shared_limit();

}  // namespace simt::detail
