"""Open a path only if every user who controls it could open it himself.

Root collects logs from folders that users can write to. A link there, or a second name of another user's file, must
reveal neither root's secrets nor another user's. So a path is followed one component at a time, by descriptor: each
link is looked at before it is followed, and a component that is swapped meanwhile is noticed. A user controls a path in
three ways:

* as the owner of a link on it. Links of root and of the user who runs this are trusted;

* as the owner of the folder of a file with several names (hard links); anybody does, if many may write to that folder;

* as the user of a process or core that named the path: the caller says so.

Each of them must be allowed to search the folders from there on and to read the file. An ordinary file with one name is
where its owner wants it, and is read with the rights of this process.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from analyzer.collect.rights import (
    ANYBODY,
    NO_USERS,
    READ,
    SEARCH,
    WRITE,
    RefusedError,
    Users,
    link_owner,
    other_users,
    require_rights,
)

MAX_SYMLINKS = 40  # of one path, as in Linux: path_resolution(7)
_LOOK_FLAGS = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTER_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC  # unlike _LOOK it makes an automount come
_GROUP_OR_WORLD_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


class ResolvedPath(NamedTuple):
    """The end of a path: `name` in the folder that the descriptor `folder` is open on. `users` control the path.

    `is_magic_link`: a link of /proc that leads where no path does. `is_trusted`: only root and the user who runs this
    could have put something else there.
    """

    folder: int
    name: str
    status: os.stat_result
    users: Users
    is_magic_link: bool
    is_trusted: bool


class FolderEntry(NamedTuple):
    """An entry of a folder. A link to a folder does not count as a folder."""

    name: str
    is_folder: bool


def open_file(path: Path, users: Users = NO_USERS) -> IO[bytes]:
    """Return a regular file, open for reading, unbuffered. Raises OSError, and RefusedError if a user who controls the
    path could not read it.
    """
    with _resolve(path, users) as resolved:
        _check_regular(resolved.status)  # before it is opened: a device may do something then
        file = os.fdopen(_open_resolved(resolved, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY), "rb", buffering=0)
        try:
            status = os.fstat(file.fileno())
            _check_regular(status)
            if not resolved.is_magic_link and not os.path.samestat(status, resolved.status):
                raise OSError(errno.EAGAIN, "it was replaced at that moment")
            require_rights(_descriptor_path(resolved.folder, resolved.name), status, READ, resolved.users)
            if resolved.users and not os.fstatvfs(file.fileno()).f_blocks:
                raise RefusedError(errno.EACCES, "a file of the kernel: its mode does not show who may read it")
        except BaseException:
            file.close()
            raise
        return file


def stat_path(path: Path, users: Users = NO_USERS) -> os.stat_result:
    """Return the status of what the path leads to, readable and regular or not. Raises OSError as `open_file` does."""
    with _resolve(path, users) as resolved:
        if resolved.is_magic_link:
            return os.stat(resolved.name, dir_fd=resolved.folder)
        require_rights(_descriptor_path(resolved.folder, resolved.name), resolved.status, READ, resolved.users)
        return resolved.status


def is_file(path: Path, users: Users = NO_USERS) -> bool:
    """Return whether the path is a regular file, or is refused: `open_file` then gives the reason."""
    try:
        return stat.S_ISREG(stat_path(path, users).st_mode)
    except RefusedError:
        return True
    except OSError:
        return False


def is_folder(path: Path, users: Users = NO_USERS) -> bool:
    """Return whether the path is a folder that may be reached."""
    try:
        return stat.S_ISDIR(stat_path(path, users).st_mode)
    except OSError:
        return False


def list_folder(path: Path, users: Users = NO_USERS) -> list[FolderEntry]:
    """Return the entries by name; empty if the path is not a folder or may not be read."""
    try:
        with (
            _resolve(path, users) as resolved,
            _closing_descriptor(_open_resolved(resolved, os.O_RDONLY | os.O_DIRECTORY)) as folder,
        ):
            require_rights(_descriptor_path(folder), os.fstat(folder), READ | SEARCH, resolved.users)
            with os.scandir(folder) as entries:
                return sorted(FolderEntry(e.name, e.is_dir(follow_symlinks=False)) for e in entries)
    except OSError:
        return []


@contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """Yield a descriptor of a folder to write into. Raises OSError, and RefusedError as `open_file` does."""
    with _resolve(path, NO_USERS) as resolved, _closing_descriptor(_open_resolved(resolved, _ENTER_FLAGS)) as folder:
        require_rights(_descriptor_path(folder), os.fstat(folder), WRITE | SEARCH, resolved.users)
        yield folder


def open_new(path: Path) -> IO[bytes]:
    """Return a new file, open for writing, unbuffered; or a device, pipe or /proc link of our own.

    Raises OSError, also for a file that exists, and RefusedError as `open_file` does.
    """
    with open_folder(path.parent) as folder, suppress(FileExistsError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC  # O_EXCL follows no link
        return os.fdopen(os.open(path.name, flags, 0o666, dir_fd=folder), "wb", buffering=0)
    with _resolve(path, NO_USERS) as resolved:
        if resolved.users or other_users(resolved.status.st_uid):
            raise RefusedError(errno.EPERM, "it was put there by another user")
        if stat.S_ISREG(resolved.status.st_mode):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        return os.fdopen(_open_resolved(resolved, os.O_WRONLY | os.O_NOCTTY), "wb", buffering=0)


def is_trusted(path: Path) -> bool:
    """Return whether root or the user who runs this owns what is there, and no other user can replace it."""
    try:
        with _resolve(path, NO_USERS) as resolved:
            return resolved.is_trusted and not resolved.users and not resolved.is_magic_link
    except OSError:
        return False


@contextmanager
def _resolve(path: Path, users: Users) -> Iterator[ResolvedPath]:
    walk = _PathWalk(users)
    try:
        yield walk.follow(str(path))
    finally:
        walk.close()


class _PathWalk:
    """The state of following a path; `folder` is a descriptor of the folder that was reached."""

    def __init__(self, users: Users) -> None:
        self.users, self.folder, self.is_trusted = users, -1, True
        self._link_count = 0

    def follow(self, path: str) -> ResolvedPath:
        self._enter_folder("/" if path.startswith("/") else ".")
        pending = _components(path)
        while pending:
            name = pending.pop()
            with _closing_descriptor(os.open(name, _LOOK_FLAGS, dir_fd=self.folder)) as entry:
                status = os.fstat(entry)
                self._add_controllers(status)
                if stat.S_ISLNK(status.st_mode):
                    if _is_magic_link(status):
                        if not pending:
                            return ResolvedPath(
                                folder=self.folder,
                                name=name,
                                status=status,
                                users=self.users,
                                is_magic_link=True,
                                is_trusted=self.is_trusted,
                            )
                        self._enter_folder(name, follow=True)
                        continue
                    target = os.readlink("", dir_fd=entry)  # of the very link that was looked at
                    if target.startswith("/"):
                        self._enter_folder("/")
                    pending += _components(target)
                    continue
            if not pending:
                return ResolvedPath(
                    folder=self.folder,
                    name=name,
                    status=status,
                    users=self.users,
                    is_magic_link=False,
                    is_trusted=self.is_trusted,
                )
            self._enter_folder(name)
        return ResolvedPath(
            folder=self.folder,
            name=".",
            status=os.fstat(self.folder),
            users=self.users,
            is_magic_link=False,
            is_trusted=self.is_trusted,
        )

    def close(self) -> None:
        if self.folder >= 0:
            os.close(self.folder)
            self.folder = -1

    def _enter_folder(self, name: str, follow: bool = False) -> None:
        flags = _ENTER_FLAGS if follow else _ENTER_FLAGS | os.O_NOFOLLOW
        folder = os.open(name, flags, dir_fd=None if self.folder < 0 else self.folder)
        self.close()
        self.folder = folder
        status = os.fstat(folder)
        require_rights(_descriptor_path(folder), status, SEARCH, self.users)
        self.is_trusted = self.is_trusted and _is_protected(status)

    def _add_controllers(self, status: os.stat_result) -> None:
        """Add the users who control the path through this entry."""
        if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
            self.users |= _possible_linkers(os.fstat(self.folder))
        if stat.S_ISLNK(status.st_mode):
            self._link_count += 1
            if self._link_count > MAX_SYMLINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            self.users |= link_owner(status)
        else:
            self.is_trusted = self.is_trusted and _is_protected(status)


def _components(path: str) -> list[str]:
    """Return the components of a path, the last one first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def _possible_linkers(folder: os.stat_result) -> Users:
    """Return the users who may create further names of a file in a folder."""
    return other_users(folder.st_uid) | (
        frozenset({ANYBODY}) if folder.st_mode & _GROUP_OR_WORLD_WRITABLE else NO_USERS
    )


def _is_protected(status: os.stat_result) -> bool:
    """Return whether the entry is root's or ours and others cannot change it."""
    shared = status.st_mode & (stat.S_IWOTH | (stat.S_IWGRP if status.st_gid else 0))
    return not other_users(status.st_uid) and (not shared or bool(status.st_mode & stat.S_ISVTX))


def _is_magic_link(status: os.stat_result) -> bool:
    """Return whether this is a link of /proc, such as /proc/PID/root or /proc/PID/fd/1."""
    try:
        return status.st_dev == Path("/proc").stat().st_dev
    except OSError:
        return False


def _check_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")


def _open_resolved(resolved: ResolvedPath, flags: int) -> int:
    return os.open(
        resolved.name, flags | os.O_CLOEXEC | (0 if resolved.is_magic_link else os.O_NOFOLLOW), dir_fd=resolved.folder
    )


@contextmanager
def _closing_descriptor(number: int) -> Iterator[int]:
    try:
        yield number
    finally:
        os.close(number)


def _descriptor_path(folder: int, name: str = ".") -> str:
    """Return a path through /proc, for calls that take no descriptor of a path."""
    return f"/proc/self/fd/{folder}/{name}"
