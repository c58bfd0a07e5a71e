"""Python runs this first in a program under conflict-free run: PyTorch's operators, which are machine code, run on the host instead.

Kernels of Triton get memory of the model. Standard library only; PyTorch is taken when the program imports it.
"""

import importlib.machinery
import importlib.util
import os
import sys

#: Operators that only allocate or copy memory, which the model does, unless they change its type or layout.
_OF_MEMORY = frozenset(
    "empty empty_strided empty_like new_empty new_empty_strided _to_copy copy_ clone detach _local_scalar_dense record_stream set_ resize_".split()
)


class _Watch:
    """Finds PyTorch as other finders would, and replaces its operators after the import."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                try:
                    begin(module)
                except (AttributeError, ImportError) as error:
                    print(f"PyTorch's operators cannot run on the host: {error}", file=sys.stderr)

            spec.loader.exec_module = exec_module
        return spec


def _changes(torch, name, arguments, keywords):
    """Return whether an operator of memory changes a type or a layout, which takes a kernel."""
    first = arguments[0] if arguments else None
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
            of_memory = name in _OF_MEMORY and not _changes(torch, name, args, kwargs)
            if is_view or of_memory or not makes and not any(map(on_device, tree_leaves((args, kwargs)))):
                return operator(*args, **kwargs)
            if not said:
                said.append(name)
                print("PyTorch's operators run on the host and are not counted", file=sys.stderr)
            copies = {}

            def copied(value):
                if not on_device(value):
                    return value
                return copies.setdefault(id(value), (value, value.to("cpu")))[1]

            args_there, kwargs_there = tree_map(copied, (args, kwargs))
            if makes:
                kwargs_there = {**kwargs_there, "device": "cpu"}
            result = operator(*args_there, **kwargs_there)
            for place, argument in enumerate(schema.arguments):
                given = args[place] if place < len(args) else kwargs.get(argument.name)
                if argument.alias_info and argument.alias_info.is_write and on_device(given):
                    given.copy_(copied(given))
            given_of = {id(copy): given for given, copy in copies.values()}
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
    OnHost().__enter__()


def _go_on():
    """Run the module of this name that Python would have run."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [folder for folder in sys.path if os.path.abspath(folder) != here]
    spec = importlib.machinery.PathFinder.find_spec(__name__, others)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if __name__ == "sitecustomize":
    sys.meta_path.insert(0, _Watch())
    _go_on()
