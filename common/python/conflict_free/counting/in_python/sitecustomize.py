"""Python runs this first in a program under conflict-free run: PyTorch's operators, which are machine code, run on the host instead.

Kernels of Triton get memory of the model, and are not timed. Standard library only; PyTorch is taken when the program imports it.
"""

import importlib.machinery
import importlib.util
import math
import os
import sys

#: Operators that only allocate or copy memory, which the model does, unless they change its type or layout.
_OF_MEMORY = frozenset(
    "empty empty_strided empty_like new_empty new_empty_strided _to_copy copy_ clone detach _local_scalar_dense record_stream set_ resize_".split()
)


class _Watch:
    """Finds a module as other finders would, and changes it after the import."""

    def __init__(self, name, change):
        self.name, self.change = name, change

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                try:
                    self.change(module)
                except (AttributeError, ImportError) as error:
                    print(f"{name} runs unchanged: {error}", file=sys.stderr)

            spec.loader.exec_module = exec_module
        return spec


def _changes(torch, name, arguments, keywords):
    """Return whether an operator of memory changes a type, a layout or numbers, which takes a kernel."""
    first = arguments[0] if arguments else None
    tensors = [value for value in arguments[:2] if isinstance(value, torch.Tensor)]
    if any(tensor.is_conj() or tensor.is_neg() for tensor in tensors):
        return True
    if name == "_to_copy":
        return keywords.get("dtype") not in (None, first.dtype) or not first.is_contiguous()
    if name == "copy_":
        return (
            first.dtype != arguments[1].dtype
            or first.shape != arguments[1].shape
            or not (first.is_contiguous() and arguments[1].is_contiguous())
        )
    if name == "clone":
        return not first.is_contiguous() or keywords.get("memory_format") not in (None, torch.preserve_format, torch.contiguous_format)
    return False


class _Copies:
    """Copies on the host of the tensors of a call.

    Bytes are copied as they lie, because any other order takes a kernel. So a copy has the steps of its tensor, and tensors of one
    storage share theirs.
    """

    def __init__(self, torch, tensors):
        self.torch = torch
        self.tensors = {}
        self.bytes = {}
        parts = {}
        for tensor in tensors:
            if tensor.layout is torch.strided:
                parts.setdefault(self._key(tensor), []).append((*self._part(tensor), tensor))
        for key, of_storage in parts.items():
            first = min(part[0] for part in of_storage)
            there = self._bytes(of_storage[0][-1], first, max(part[1] for part in of_storage))
            self.bytes[key] = first, there.cpu()

    @staticmethod
    def _key(tensor):
        return tensor.untyped_storage().data_ptr()

    @staticmethod
    def _part(tensor):
        """Return which bytes of its storage a tensor takes; the first is one at which any type can begin."""
        first = tensor.storage_offset() * tensor.element_size()
        last = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride()))
        return first // 16 * 16, first + (last + 1) * tensor.element_size() * (tensor.numel() > 0)

    def _bytes(self, tensor, first, end):
        there = self.torch.empty(0, dtype=self.torch.uint8, device=tensor.device)
        return there.set_(tensor.untyped_storage(), first, (end - first,), (1,))

    def of(self, tensor):
        """Return the copy of a tensor."""
        if id(tensor) not in self.tensors:
            self.tensors[id(tensor)] = tensor, self._copy(tensor)
        return self.tensors[id(tensor)][1]

    def _copy(self, tensor):
        if tensor.layout is not self.torch.strided:
            return tensor.to("cpu")
        first, there = self.bytes[self._key(tensor)]
        place = tensor.storage_offset() - first // tensor.element_size()
        copy = self.torch.empty(0, dtype=tensor.dtype).set_(there.untyped_storage(), place, tensor.shape, tensor.stride())
        copy = self.torch._neg_view(copy) if tensor.is_neg() else copy
        return copy.conj() if tensor.is_conj() else copy

    def give_back(self, tensor):
        """Let a tensor have what an operator has written into its copy."""
        copy = self.of(tensor)
        if copy.shape != tensor.shape or tensor.layout is not self.torch.strided:
            tensor.resize_(copy.shape).copy_(copy.contiguous())
            return
        first, there = self.bytes[self._key(tensor)]
        self._bytes(tensor, first, first + there.numel()).copy_(there)


def begin(torch):
    """Let the operators on tensors of the device run on copies of these tensors."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves, tree_map

    said = []

    def on_device(value):
        return isinstance(value, torch.Tensor) and value.device.type == "cuda"

    class OnHost(TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            makes = kwargs.get("device") is not None and torch.device(kwargs["device"]).type == "cuda"
            schema = operator._schema
            name = operator.name().split("::")[-1].split(".")[0]
            is_view = any(value.alias_info and not value.alias_info.is_write for value in schema.returns)
            is_view = is_view or torch.Tag.inplace_view in operator.tags
            of_memory = name in _OF_MEMORY and not _changes(torch, name, args, kwargs)
            if is_view or of_memory or not makes and not any(map(on_device, tree_leaves((args, kwargs)))):
                return operator(*args, **kwargs)
            if not said:
                said.append(name)
                print(
                    "PyTorch's operators run on the host and are not counted: kernels of Triton are, and your own from nvcc's PTX",
                    file=sys.stderr,
                )
            copies = _Copies(torch, filter(on_device, tree_leaves((args, kwargs))))

            def copied(value):
                return copies.of(value) if on_device(value) else value

            args_there, kwargs_there = tree_map(copied, (args, kwargs))
            if makes:
                kwargs_there = {**kwargs_there, "device": "cpu"}
            result = operator(*args_there, **kwargs_there)
            for place, argument in enumerate(schema.arguments):
                given = args[place] if place < len(args) else kwargs.get(argument.name)
                if argument.alias_info and argument.alias_info.is_write:
                    for written in filter(on_device, tree_leaves(given)):
                        copies.give_back(written)
            given_of = {id(copy): given for given, copy in copies.tensors.values()}
            asked_host = not makes and kwargs.get("device") is not None

            def returned(value):
                if not isinstance(value, torch.Tensor) or asked_host:
                    return value
                return given_of[id(value)] if id(value) in given_of else value.to("cuda")

            return tree_map(returned, result)

    shown = torch._tensor_str._str

    def shown_from_host(tensor, **options):
        # PyTorch puts modes aside while it writes a tensor.
        if not on_device(tensor):
            return shown(tensor, **options)
        return f"{shown(tensor.detach().cpu(), **options)[:-1]}, device='{tensor.device}')"

    torch._tensor_str._str = shown_from_host
    # A thread of its own for gradients may still let go of the mode when Python has ended, which aborts the program.
    torch.autograd.set_multithreading_enabled(False)
    OnHost().__enter__()


def run_once(testing):
    """Let what Triton's tests of speed would time run once. The model has no time to tell."""

    def do_bench(fn, warmup=None, rep=None, grad_to_none=None, quantiles=None, return_mode="mean"):
        fn()
        times = [math.nan] * len(quantiles or "1")
        return times if quantiles or return_mode == "all" else times[0]

    testing.do_bench = testing.do_bench_cudagraph = do_bench


def take_first(autotuner):
    """Let Triton's search for the fastest configuration run each once, and take the first of those that run."""
    said = []

    def tried(kernel_call, quantiles):
        if not said:
            said.append(kernel_call)
            print("the model has no times: Triton runs each configuration once and takes the first", file=sys.stderr)
        kernel_call()
        return [0.0] * len(quantiles)

    autotuner.Autotuner.do_bench = property(lambda _: tried)


def _go_on():
    """Run the module of this name that Python would have run."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec(__name__, others)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if __name__ == "sitecustomize":
    sys.meta_path[:0] = [_Watch("torch", begin), _Watch("triton.testing", run_once), _Watch("triton.runtime.autotuner", take_first)]
    _go_on()
