"""The part of conflict-free count before the first count: arguments, set-up, the model's library. Standard library only.

subcommands.py builds the program, runs it and reports, in the virtual environment.
"""

import argparse
import contextlib
import hashlib
import sys
from pathlib import Path

from conflict_free.console import ROOT, USAGE, OneLineParser, Stop
from conflict_free.setup import cmake, folders, setup

from . import command_line, model_runtime, packaged

TARGET = "conflict_free_cudart"

# Options of nvcc whose value may be the next word.
_WITH_VALUE = frozenset(
    """
    -D -U -I -L -l -O -x -t -std -arch -code -gencode -rdc -dlto-arch -cudart -cudadevrt -ccbin -include -isystem -maxrregcount
    -Xcompiler -Xlinker -Xptxas -Xcudafe -Xarchive -Xnvlink -ftz -prec-div -prec-sqrt -fmad -diag-suppress -diag-warn -diag-error
    -Werror -idp -ldir -default-stream --define-macro --undefine-macro --include-path --library-path --library --optimize --x
    --threads --std --gpu-architecture --gpu-code --generate-code --relocatable-device-code --cudart --cudadevrt --compiler-bindir
    --pre-include --system-include --maxrregcount --compiler-options --linker-options --ptxas-options --cudafe-options
    --archive-options --nvlink-options --ftz --prec-div --prec-sqrt --fmad --diag-suppress --diag-warn --diag-error --default-stream
    """.split()
)
# Options with which nvcc builds no program, or writes it elsewhere.
_REFUSED = frozenset(
    """
    -o --output-file -c --compile -dc --device-c -dw --device-w -dlink --device-link -lib --lib -ptx --ptx -cubin --cubin -fatbin
    --fatbin -cuda --cuda -E --preprocess -M -MM -MD -MMD -MF -MT -run --run -link --link -dryrun --dryrun -optix-ir -ltoir
    """.split()
)


def _source(text: str) -> Path:
    try:
        with open(text, "rb"):
            return Path(text)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text!r} given, a CUDA source file is accepted ({error.strerror})") from error


def _parser() -> OneLineParser:
    name = "scripts/count" if Path(sys.argv[0]).name == "count" else "conflict-free count"
    parser = OneLineParser(
        prog=name,
        usage=f"{name} FILE.cu... [options] [nvcc's options] [-- program arguments]",
        description="Builds a CUDA program with nvcc, runs it on the CPU under the counting model, and shows for each kernel "
        "its accesses to shared and global memory, line by line, and its hazards. Exit code: the program's "
        "own; 1 if there is a hazard; 2 for wrong arguments and for a source that does not compile. Options that are not "
        "here are passed on to nvcc.",
    )
    parser.add_argument("files", metavar="FILE.cu", type=_source, nargs="+", help="the program's files; one of them has a main function")
    command_line.add_to(parser)
    return parser


def _split(parser: OneLineParser, words: list[str]) -> tuple[list[str], list[str]]:
    """Return our own options with the files, and the options of nvcc."""
    own, theirs = [], []
    known = {option: action.nargs is None for action in parser._actions for option in action.option_strings}
    rest = iter(words)
    for word in rest:
        name = word.split("=", 1)[0]
        if name in known or not word.startswith("-"):
            own.append(word)
            if known.get(word):
                own += [value for value in [next(rest, None)] if value is not None]
        elif name in _REFUSED:
            raise Stop(f"argument {word}: given, options with which nvcc makes a program are accepted", USAGE)
        elif word in _WITH_VALUE:
            value = next(rest, None)
            if value is None:
                raise Stop(f"argument {word}: nothing given, a value is accepted", USAGE)
            theirs += [word, value]
        else:
            theirs.append(word)
    return own, theirs


def parse(arguments: list[str]) -> argparse.Namespace:
    """Return the options. Its attribute `nvcc` has the options of nvcc, `arguments` the words behind the first `--`."""
    words, program = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        words, program = arguments[:at], arguments[at + 1 :]
    parser = _parser()
    own, theirs = _split(parser, words)
    options = parser.parse_args(own)
    options.nvcc = theirs
    options.arguments = program
    check_build_folder(parser, options)
    return options


def check_build_folder(parser: OneLineParser, options: argparse.Namespace) -> None:
    if options.build_dir and not model_runtime.is_built(options.build_dir):
        parser.error(f"argument --build-dir: {str(options.build_dir)!r} given, a build folder of this repository is accepted")


def state_of(*places: str) -> str:
    """Return a text that changes with any of some files, or with any file in some folders, of the repository; tests do not count."""
    state = hashlib.sha256()
    for path in sorted(path for place in places for path in (ROOT / place, *(ROOT / place).rglob("*"))):
        if path.is_file() and "tests" not in path.parts:
            found = path.stat()
            state.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return state.hexdigest()


def build_model() -> Path:
    """Return the folder of the model's library. In a checkout it is a build folder, and this builds a library that is missing or old."""
    if packaged.is_installed():
        return packaged.MODEL
    build = cmake.BUILD
    stamp = build / "model.stamp"
    state = state_of("common/model")
    with contextlib.suppress(OSError):
        if stamp.read_text(encoding="utf-8") == state and (folders.VENV / "bin" / "python").exists():
            return build
    # stdout belongs to the program's output
    with contextlib.redirect_stdout(sys.stderr):
        tools = setup.set_up()
        cmake.configure(tools)
        cmake.build(tools, "the counting model", TARGET)
    stamp.write_text(state, encoding="utf-8")
    return build
