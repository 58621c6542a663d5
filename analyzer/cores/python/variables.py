"""Read the arguments and local variables of Python frames.

They are in one array after each frame: arguments, then locals, then variables that closures share. Module variables are
in a dict and are not read.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.python.objects import ObjectReader
from analyzer.cores.python.struct_offsets import StructOffsets

MAX_VARIABLES = 30  # of a frame
MAX_FRAMES_WITH_VARIABLES = 64  # the innermost frames of a thread
TAG_BITS = 3  # from 3.14 on the low bits of a reference are tags


@dataclass(slots=True)
class VariableReader:
    """Reads variables of frames until `deadline`, a value of time.thread_time()."""

    memory: ProcessMemory
    offsets: StructOffsets
    objects: ObjectReader
    deadline: float
    _names: dict[int, list[str]] = field(default_factory=dict)

    def read_frame(self, frame: int, code: int) -> dict[str, str]:
        """Return name → text of the variables of a frame that have a value. `code` is the address of its
        code object.
        """
        variables: dict[str, str] = {}
        if time.thread_time() > self.deadline:
            return variables
        if code not in self._names:
            self._names[code] = self._read_names(code)
        for index, name in enumerate(self._names[code]):
            at = self.read_argument(frame, index)
            value = self.objects.dereference_cell(at) if at else None
            if value and name and not name.startswith("."):  # `.0` is what a comprehension iterates over
                variables[name] = self.objects.describe(value)
            if len(variables) >= MAX_VARIABLES:
                break
        return variables

    def read_argument(self, frame: int, index: int) -> int:
        """Return the address of a frame's variable by its number, the arguments first; 0 if it has no value."""
        at = self.memory.read_word(frame + self.offsets.variables + 8 * index) or 0
        return at & ~TAG_BITS if self.offsets.version >= (3, 14) else at

    def _read_names(self, code: int) -> list[str]:
        names: list[str] = []
        for offset in self.offsets.variable_names:
            names += self.objects.read_names(self.memory.read_word(code + offset), 4 * MAX_VARIABLES - len(names))
        return names
