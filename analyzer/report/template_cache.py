"""Cache of compiled templates: compiling takes longer than rendering."""

from __future__ import annotations

from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from analyzer.paths import read_cache, write_cache


class CompiledTemplateCache(BytecodeCache):
    """A bytecode cache. Jinja checks its entries against the template's text and the versions of Python and Jinja."""

    def __init__(self, cache: Path) -> None:
        self._folder = cache / "templates"

    def load_bytecode(self, bucket: Bucket) -> None:
        if data := read_cache(self._folder / bucket.key):
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        write_cache(self._folder / bucket.key, bucket.bytecode_to_string())
