// Properties and attributes of devices. They come from the machine's description; an H200's answers fill the rest.

#include "calls/runtime/devices.hpp"

#include <climits>
#include <cstdio>
#include <cstring>
#include <optional>

namespace simt::calls {

namespace {

std::size_t bytes_of(int bytes) { return static_cast<std::size_t>(bytes); }

template <std::size_t Count> void set(int (&member)[Count], const int (&values)[Count]) { std::memcpy(member, values, sizeof values); }

void set_texture_limits(cudaDeviceProp& properties) {
    properties.textureAlignment = 512;
    properties.texturePitchAlignment = 32;
    properties.surfaceAlignment = 512;
    properties.maxTexture1D = 131072;
    properties.maxTexture1DMipmap = 32768;
    set(properties.maxTexture2D, {131072, 65536});
    set(properties.maxTexture2DMipmap, {32768, 32768});
    set(properties.maxTexture2DLinear, {131072, 65000, 2097120});
    set(properties.maxTexture2DGather, {32768, 32768});
    set(properties.maxTexture3D, {16384, 16384, 16384});
    set(properties.maxTexture3DAlt, {8192, 8192, 32768});
    properties.maxTextureCubemap = 32768;
    set(properties.maxTexture1DLayered, {32768, 2048});
    set(properties.maxTexture2DLayered, {32768, 32768, 2048});
    set(properties.maxTextureCubemapLayered, {32768, 2046});
    properties.maxSurface1D = 32768;
    set(properties.maxSurface2D, {131072, 65536});
    set(properties.maxSurface3D, {16384, 16384, 16384});
    set(properties.maxSurface1DLayered, {32768, 2048});
    set(properties.maxSurface2DLayered, {32768, 32768, 2048});
    properties.maxSurfaceCubemap = 32768;
    set(properties.maxSurfaceCubemapLayered, {32768, 2046});
}

void set_limits(cudaDeviceProp& properties, const Machine& machine) {
    constexpr int registers = 65536, most_block_z = 64, most_grid_side = 65535;
    properties.sharedMemPerBlock = bytes_of(machine.default_shared_bytes);
    properties.sharedMemPerBlockOptin = bytes_of(machine.max_shared_bytes);
    // The driver reserves for each block the part of a multiprocessor's shared memory that no block can have.
    properties.reservedSharedMemPerBlock = bytes_of(machine.multiprocessor_shared_bytes - machine.max_shared_bytes);
    properties.sharedMemPerMultiprocessor = bytes_of(machine.multiprocessor_shared_bytes);
    properties.regsPerBlock = properties.regsPerMultiprocessor = registers;
    properties.warpSize = warp_size;
    properties.memPitch = INT_MAX;
    properties.maxThreadsPerBlock = machine.max_block_threads;
    set(properties.maxThreadsDim, {machine.max_block_threads, machine.max_block_threads, most_block_z});
    set(properties.maxGridSize, {machine.compute_major < 3 ? most_grid_side : INT_MAX, most_grid_side, most_grid_side});
    properties.totalConstMem = std::size_t{64} << 10;
    properties.multiProcessorCount = machine.multiprocessors;
    properties.maxThreadsPerMultiProcessor = machine.multiprocessor_threads;
    properties.maxBlocksPerMultiProcessor = machine.multiprocessor_blocks;
    properties.l2CacheSize = machine.l2_bytes;
    properties.memoryBusWidth = 6144;
    properties.asyncEngineCount = 3;
}

void set_abilities(cudaDeviceProp& properties, const Machine& machine) {
    properties.canMapHostMemory = properties.concurrentKernels = properties.unifiedAddressing = 1;
    properties.streamPrioritiesSupported = properties.globalL1CacheSupported = properties.localL1CacheSupported = 1;
    properties.managedMemory = properties.concurrentManagedAccess = properties.hostRegisterSupported = 1;
    properties.computePreemptionSupported = properties.canUseHostPointerForRegisteredMem = properties.memoryPoolsSupported = 1;
    properties.cooperativeLaunch = 1;
    properties.clusterLaunch = machine.compute_major >= 9;
    properties.deviceNumaId = -1;
    properties.tccDriver = 0;
    properties.ECCEnabled = 1;
}

/// Attributes that are numbers of cudaDeviceProp.
std::optional<int> attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute) {
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
        case cudaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
        case cudaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
        case cudaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
        case cudaDevAttrMaxGridDimX: return p.maxGridSize[0];
        case cudaDevAttrMaxGridDimY: return p.maxGridSize[1];
        case cudaDevAttrMaxGridDimZ: return p.maxGridSize[2];
        case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(p.sharedMemPerBlock);
        case cudaDevAttrTotalConstantMemory: return static_cast<int>(p.totalConstMem);
        case cudaDevAttrWarpSize: return p.warpSize;
        case cudaDevAttrMaxPitch: return static_cast<int>(p.memPitch);
        case cudaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
        case cudaDevAttrTextureAlignment: return static_cast<int>(p.textureAlignment);
        case cudaDevAttrMultiProcessorCount: return p.multiProcessorCount;
        case cudaDevAttrIntegrated: return p.integrated;
        case cudaDevAttrCanMapHostMemory: return p.canMapHostMemory;
        case cudaDevAttrSurfaceAlignment: return static_cast<int>(p.surfaceAlignment);
        case cudaDevAttrConcurrentKernels: return p.concurrentKernels;
        case cudaDevAttrEccEnabled: return p.ECCEnabled;
        case cudaDevAttrPciBusId: return p.pciBusID;
        case cudaDevAttrPciDeviceId: return p.pciDeviceID;
        case cudaDevAttrPciDomainId: return p.pciDomainID;
        case cudaDevAttrTccDriver: return p.tccDriver;
        case cudaDevAttrGlobalMemoryBusWidth: return p.memoryBusWidth;
        case cudaDevAttrL2CacheSize: return p.l2CacheSize;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
        case cudaDevAttrAsyncEngineCount: return p.asyncEngineCount;
        case cudaDevAttrUnifiedAddressing: return p.unifiedAddressing;
        case cudaDevAttrTexturePitchAlignment: return static_cast<int>(p.texturePitchAlignment);
        case cudaDevAttrComputeCapabilityMajor: return p.major;
        case cudaDevAttrComputeCapabilityMinor: return p.minor;
        case cudaDevAttrStreamPrioritiesSupported: return p.streamPrioritiesSupported;
        case cudaDevAttrGlobalL1CacheSupported: return p.globalL1CacheSupported;
        case cudaDevAttrLocalL1CacheSupported: return p.localL1CacheSupported;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(p.sharedMemPerMultiprocessor);
        case cudaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
        case cudaDevAttrManagedMemory: return p.managedMemory;
        case cudaDevAttrConcurrentManagedAccess: return p.concurrentManagedAccess;
        case cudaDevAttrComputePreemptionSupported: return p.computePreemptionSupported;
        case cudaDevAttrCanUseHostPointerForRegisteredMem: return p.canUseHostPointerForRegisteredMem;
        case cudaDevAttrCooperativeLaunch: return p.cooperativeLaunch;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(p.sharedMemPerBlockOptin);
        case cudaDevAttrHostRegisterSupported: return p.hostRegisterSupported;
        case cudaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
        case cudaDevAttrReservedSharedMemoryPerBlock: return static_cast<int>(p.reservedSharedMemPerBlock);
        case cudaDevAttrMemoryPoolsSupported: return p.memoryPoolsSupported;
        case cudaDevAttrClusterLaunch: return p.clusterLaunch;
        case cudaDevAttrNumaId:
        case cudaDevAttrHostNumaId: return -1;
        default: return std::nullopt;
    }
}

std::optional<int> texture_attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute) {
    switch (attribute) {
        case cudaDevAttrMaxTexture1DWidth: return p.maxTexture1D;
        case cudaDevAttrMaxTexture1DLinearWidth: return 1 << 28;
        case cudaDevAttrMaxTexture1DMipmappedWidth: return p.maxTexture1DMipmap;
        case cudaDevAttrMaxTexture2DWidth: return p.maxTexture2D[0];
        case cudaDevAttrMaxTexture2DHeight: return p.maxTexture2D[1];
        case cudaDevAttrMaxTexture2DMipmappedWidth: return p.maxTexture2DMipmap[0];
        case cudaDevAttrMaxTexture2DMipmappedHeight: return p.maxTexture2DMipmap[1];
        case cudaDevAttrMaxTexture2DLinearWidth: return p.maxTexture2DLinear[0];
        case cudaDevAttrMaxTexture2DLinearHeight: return p.maxTexture2DLinear[1];
        case cudaDevAttrMaxTexture2DLinearPitch: return p.maxTexture2DLinear[2];
        case cudaDevAttrMaxTexture2DGatherWidth: return p.maxTexture2DGather[0];
        case cudaDevAttrMaxTexture2DGatherHeight: return p.maxTexture2DGather[1];
        case cudaDevAttrMaxTexture3DWidth: return p.maxTexture3D[0];
        case cudaDevAttrMaxTexture3DHeight: return p.maxTexture3D[1];
        case cudaDevAttrMaxTexture3DDepth: return p.maxTexture3D[2];
        case cudaDevAttrMaxTexture3DWidthAlt: return p.maxTexture3DAlt[0];
        case cudaDevAttrMaxTexture3DHeightAlt: return p.maxTexture3DAlt[1];
        case cudaDevAttrMaxTexture3DDepthAlt: return p.maxTexture3DAlt[2];
        case cudaDevAttrMaxTextureCubemapWidth: return p.maxTextureCubemap;
        case cudaDevAttrMaxTexture1DLayeredWidth: return p.maxTexture1DLayered[0];
        case cudaDevAttrMaxTexture1DLayeredLayers: return p.maxTexture1DLayered[1];
        case cudaDevAttrMaxTexture2DLayeredWidth: return p.maxTexture2DLayered[0];
        case cudaDevAttrMaxTexture2DLayeredHeight: return p.maxTexture2DLayered[1];
        case cudaDevAttrMaxTexture2DLayeredLayers: return p.maxTexture2DLayered[2];
        case cudaDevAttrMaxTextureCubemapLayeredWidth: return p.maxTextureCubemapLayered[0];
        case cudaDevAttrMaxTextureCubemapLayeredLayers: return p.maxTextureCubemapLayered[1];
        case cudaDevAttrMaxSurface1DWidth: return p.maxSurface1D;
        case cudaDevAttrMaxSurface2DWidth: return p.maxSurface2D[0];
        case cudaDevAttrMaxSurface2DHeight: return p.maxSurface2D[1];
        case cudaDevAttrMaxSurface3DWidth: return p.maxSurface3D[0];
        case cudaDevAttrMaxSurface3DHeight: return p.maxSurface3D[1];
        case cudaDevAttrMaxSurface3DDepth: return p.maxSurface3D[2];
        case cudaDevAttrMaxSurface1DLayeredWidth: return p.maxSurface1DLayered[0];
        case cudaDevAttrMaxSurface1DLayeredLayers: return p.maxSurface1DLayered[1];
        case cudaDevAttrMaxSurface2DLayeredWidth: return p.maxSurface2DLayered[0];
        case cudaDevAttrMaxSurface2DLayeredHeight: return p.maxSurface2DLayered[1];
        case cudaDevAttrMaxSurface2DLayeredLayers: return p.maxSurface2DLayered[2];
        case cudaDevAttrMaxSurfaceCubemapWidth: return p.maxSurfaceCubemap;
        case cudaDevAttrMaxSurfaceCubemapLayeredWidth: return p.maxSurfaceCubemapLayered[0];
        case cudaDevAttrMaxSurfaceCubemapLayeredLayers: return p.maxSurfaceCubemapLayered[1];
        default: return std::nullopt;
    }
}

/// Attributes that cudaDeviceProp has no number for. The rates are an H200's: programs compute peaks from them.
int other_attribute(cudaDeviceAttr attribute) {
    switch (attribute) {
        case cudaDevAttrClockRate: return 1980000;
        case cudaDevAttrMemoryClockRate: return 3201000;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio: return 2;
        case cudaDevAttrGpuOverlap: return 1;
        // 0 says that the device does not have the feature.
        default: return 0;
    }
}

}  // namespace

cudaDeviceProp properties_of(int ordinal) {
    constexpr int first_bus = 1;
    Device& asked = device(require_device(ordinal));
    const Machine& machine = asked.machine();
    cudaDeviceProp properties{};
    std::snprintf(properties.name, sizeof properties.name, "Conflict-Free model of %s", machine.name.c_str());
    std::memcpy(properties.uuid.bytes, "conflict-free  ", sizeof properties.uuid.bytes);
    properties.uuid.bytes[sizeof properties.uuid.bytes - 1] = static_cast<char>(ordinal);
    std::size_t free_bytes = 0;
    asked.memory_info(free_bytes, properties.totalGlobalMem);
    properties.major = machine.compute_major;
    properties.minor = machine.compute_minor;
    properties.pciBusID = first_bus + ordinal;
    set_limits(properties, machine);
    set_texture_limits(properties);
    set_abilities(properties, machine);
    return properties;
}

bool attribute_of(int ordinal, cudaDeviceAttr attribute, int& value) {
    if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax) return false;
    const cudaDeviceProp properties = properties_of(ordinal);
    std::optional<int> found = attribute_of(properties, attribute);
    if (!found) found = texture_attribute_of(properties, attribute);
    value = found ? *found : other_attribute(attribute);
    return true;
}

}  // namespace simt::calls
