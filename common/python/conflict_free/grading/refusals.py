"""What no threshold counts and every assignment refuses: the numbers, and the sentence about it in each brief."""

from .parts import INSTRUCTIONS, MORE_INSTRUCTIONS, KernelWork

#: Constant memory may hold tables, but not the data. Kernels may read this many words of it, and one more for every such number of bytes.
MOST_CONSTANT_WORDS, BYTES_A_CONSTANT_WORD = 4096, 32
#: The program may allocate device memory this many times in a case.
MOST_ALLOCATIONS = 16
#: This many blocks may have nothing to do: as many as 132 multiprocessors hold, 32 each. A grid of a fixed size is no larger.
MOST_IDLE_BLOCKS = 132 * 32
#: Shared memory may keep out all but one in this many of the blocks that a multiprocessor would hold, and has to leave room for two.
MOST_KEPT_OUT = 3
#: The most that one warp may make: first of fences beyond its block, prefetches, and loads and stores of one lane that order others, and
#: second of readings of the clock, fences within the block, and accesses to global memory that bypass the caches. The model counts
#: both sums (warp.hpp).
MOST_FENCES, MOST_READINGS = 4, 64

#: A brief has the sentence in this place.
PLACE = "{kernels.refused}"
#: What the checks ``safe`` and ``by_kernels`` refuse, in the order of data_checks.py.
REFUSED = (
    "shared memory of other blocks, ``st.async`` and ``red.async``",
    "barriers of several blocks of a cluster",
    f"a warp that sleeps, gives up waiting at a barrier, or makes more than {MOST_FENCES} fences beyond its block, prefetches, and "
    f"loads that acquire or stores that release, of a lane each, or more than {MOST_READINGS} fences within its block, readings of the clock and ``volatile`` "
    "or relaxed accesses to global memory",
    "shared memory that leaves a multiprocessor room for one block, or for less than one in "
    f"{MOST_KEPT_OUT} of the blocks that it would hold without",
    "kernels that the program loads while it runs",
    "local memory in the place of registers that ``__maxnreg__`` or ``__launch_bounds__`` takes away",
    f"registers that leave a multiprocessor room for less than one in {MOST_KEPT_OUT} of the blocks that it would hold by their threads alone",
    f"more than {MOST_ALLOCATIONS} allocations of device memory",
    f"more than {MOST_CONSTANT_WORDS:,} words of constant memory and one for each {BYTES_A_CONSTANT_WORD} bytes of the data",
    f"more than {MOST_IDLE_BLOCKS:,} blocks that access no memory",
    "textures and surfaces",
    "a part of the L2 that is set aside",
    "accesses that depend on which thread comes first",
)
#: The limits of KernelWork that every assignment has.
UNLESS_SAID = (
    f"more than {KernelWork.launches} launches",
    f"more than {KernelWork.atomics} atomic operations",
    f"more than {INSTRUCTIONS} instructions of warps for each access to memory, and {MORE_INSTRUCTIONS:,} more",
)
SENTENCE = (
    f"**What is refused**, whatever the counts say: {'; '.join(REFUSED)}; and, where nothing else is said above, {'; '.join(UNLESS_SAID)}."
)
