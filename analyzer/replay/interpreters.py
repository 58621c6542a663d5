"""Check the Python interpreters of a replay: they have TensorFlow and, for version skew, versions
that differ enough.
"""

from __future__ import annotations

import subprocess

from analyzer.errors import UsageError

FIRST_VERSION_WITH_OPERATION = (2, 17)  # of TensorFlow; the operation represents a version difference (training.py)
_HINT = "choose a Python with TensorFlow with --python, or pip install tensorflow-cpu"
# With `-c`, Python looks for modules in the working folder first, which may come with the bundle.
_VERSION_PROBE = """
import sys
sys.path[:] = [folder for folder in sys.path if folder]
import importlib.metadata as m, importlib.util as u
names = m.packages_distributions().get("tensorflow", ()) if hasattr(m, "packages_distributions") else ("tensorflow",)
found = [d.version for d in m.distributions() if d.metadata["Name"] in names and "estimator" not in d.metadata["Name"]]
print(next(iter(found), ""))
sys.exit(u.find_spec("tensorflow") is None)
"""


def check_interpreter(python: str) -> str:
    """Return the interpreter's TensorFlow version, "" if unknown. An import would take seconds, so it does not import
    it.

    Raises UsageError if the interpreter has no TensorFlow.
    """
    try:
        completed = subprocess.run([python, "-c", _VERSION_PROBE], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"cannot run {python}: {getattr(error, 'strerror', None) or error}", _HINT) from error
    if completed.returncode:
        raise UsageError(f"{python} has no TensorFlow", _HINT)
    return completed.stdout.strip()


def check_version_pair(python: str, other: str) -> None:
    """Raise UsageError unless only `python` has the operation that the replay calls."""
    version, other_version = check_interpreter(python), check_interpreter(other)
    has_operation = [
        _major_minor(version) >= FIRST_VERSION_WITH_OPERATION
        for version in (version, other_version)
        if _major_minor(version)
    ]
    if has_operation not in ([True, False], [True], [False], []):
        raise UsageError(
            f"TensorFlow {version} and {other_version} do not differ in the operation that the replay calls",
            "the operation is new in 2.17: --python needs TensorFlow 2.17 or later, --other-python an earlier version",
        )


def _major_minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
