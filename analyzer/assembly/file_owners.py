"""Find the node of a file: the node of its lines, or else of the files around it."""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.facts.registry import Registry


class FileOwners:
    """The nodes of files.

    `by_file` has the files whose streams all belong to one node.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.by_file = _map_files_to_nodes(registry)  # files whose streams all belong to one node
        self._folders: dict[str, set[str]] = {}  # folder → the nodes of all files below it
        for file, node in self.by_file.items():
            for folder in _parent_folders(file):
                self._folders.setdefault(folder, set()).add(node)

    def nearest_node(self, path: str) -> str | None:
        """Return the only node of the files in the folder, or else in the nearest parent folder with files of a node.

        None if that folder has files of several nodes.
        """
        folders = (self._folders[folder] for folder in _parent_folders(path) if folder in self._folders)
        nodes = next(folders, set[str]())
        return next(iter(nodes)) if len(nodes) == 1 else None

    def node_of(self, file: str) -> str | None:
        """Return the node of a file by its lines, or else by the files around it; None if neither decides."""
        return self.by_file.get(file) or self.nearest_node(file)


def _map_files_to_nodes(registry: Registry) -> dict[str, str]:
    nodes: dict[str, str] = {}
    for (file, _), node in registry.by_stream.items():
        nodes[file] = node if nodes.get(file, node) == node else ""

    return {file: node for file, node in nodes.items() if node and file not in registry.multi_host_files}


def _parent_folders(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
