"""Which node a file belongs to: that of its lines, else that of the files around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.facts.nodes import Registry


class Homes:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.of_file = _by_voice(registry)  # files all of whose streams belong to one node
        self._folders: dict[str, set[str]] = {}  # the nodes of all files below each
        for file, node in self.of_file.items():
            for folder in _above(file):
                self._folders.setdefault(folder, set()).add(node)

    def nearest(self, path: str) -> str | None:
        """The node of the files in its folder, or in the nearest one that has any: of a binary file, say."""
        found = next((self._folders[folder] for folder in _above(path) if folder in self._folders), set[str]())
        return next(iter(found)) if len(found) == 1 else None

    def of(self, file: str) -> str | None:
        return self.of_file.get(file) or self.nearest(file)

    def of_core(self, core: Mapping[str, object], labels: Mapping[str, str | None]) -> str | None:
        """By the logs in its folder, else by the one worker that said it has this pid, else by its path alone."""
        path = str(core["file"])
        owners = self._registry.by_pid.get(str(core.get("pid")), set())
        node = self.nearest(path) or (next(iter(owners)) if len(owners) == 1 else labels.get(path))
        return self._registry.ensure(node) if node else None


def _by_voice(registry: Registry) -> dict[str, str]:
    nodes: dict[str, str] = {}
    for (file, _), node in registry.by_voice.items():
        nodes[file] = node if nodes.get(file, node) == node else ""
    for file, speaker in registry.alike.items():
        nodes[file] = nodes.get(speaker, "")
    return {file: node for file, node in nodes.items() if node and file not in registry.many_hosts}


def _above(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
