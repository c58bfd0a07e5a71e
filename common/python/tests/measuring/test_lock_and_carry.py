"""Lock files, and the packages that scripts/carry takes from them to a machine without a network."""

import pytest
from conftest import REPOSITORY

from conflict_free.console import Stop
from conflict_free.cuda_version import MAJOR, NVDISASM, VERSION
from conflict_free.measuring import carry
from conflict_free.setup import lock

LOCK = """\
# a comment
one==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
two==1.9 ; python_full_version < '3.11' \\
    --hash=sha256:cc
two==2.0 ; python_full_version >= '3.11' \\
    --hash=sha256:dd
three==3 \\
    --hash=sha256:ee
"""


def test_entries_are_taken_whole_for_the_newest_python_without_markers():
    assert carry.locked(LOCK, ("one", "two")) == (
        "one==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\ntwo==2.0 \\\n    --hash=sha256:dd\n"
    )


def test_a_package_that_is_not_locked():
    with pytest.raises(Stop, match="no lock file has four"):
        carry.locked(LOCK, ("one", "four"))


def test_everything_that_is_carried_is_locked():
    text = "".join((REPOSITORY / name).read_text(encoding="utf-8") for name in carry.LOCKS)
    assert carry.locked(text, carry.PYTHON).count("==") == len(carry.PYTHON)


def test_packages_of_cuda_have_the_version_that_the_model_knows():
    text = 'requires = ["cuda-toolkit[nvcc,crt]=={}.*"]\nnvidia-nccl-cu{}==2.1\nnvidia-cuda-nvdisasm=={}.*\nother==9.1.*\n'
    assert lock.wanted_text(text.format("9.1", 9, "9.2")) == text.format(VERSION, MAJOR, NVDISASM)


@pytest.mark.parametrize("version", ["2.7", "3.9", "3", "3.12.1", "x"])
def test_python_versions_that_are_none(house, version):
    done = house.run("carry", "--python-version", version)
    assert done.returncode == 2
    assert f"{version!r} given, 3.10 or later is accepted" in done.stderr


def test_carry_needs_a_debian(house):
    done = house.run("carry", path=str(house.tools))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "apt-get is not on this machine" in done.stderr


@pytest.mark.parametrize("path", sorted(REPOSITORY.glob("requirements*.lock")), ids=lambda path: path.name)
def test_our_lock_files_have_hashes_and_no_place(path):
    text = path.read_text(encoding="utf-8")
    lock.check_no_place(text, path.name)
    pinned = [line for line in text.splitlines() if line and line[0] not in " #"]
    assert pinned and all(line.endswith(" \\") for line in pinned)
    assert text.count("--hash=sha256:") >= len(pinned)
