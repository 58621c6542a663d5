"""Opens what a path names, as far as everybody could go by himself who had a say in where the path leads.

Root collects logs from folders that users write. A link there, or a second name of somebody's file, must show neither
root's secrets nor another user's. So a path is followed one component at a time, by descriptor: nothing is followed
unseen, and what is swapped meanwhile is seen as well. Three things let somebody have a say:

* a link: its owner. Those of root and of whoever runs this are as good as our own word;
* a file with several names (hard links): the owner of the folder, and where many may write to that, anybody;
* a caller's word, for a path that comes from another user's process or core.

Each of them must be able to search the folders from there on and to read the file. An ordinary file with one name is
where its owner wants it, and is read with the rights that we have.
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
    others,
    owner_of_link,
    require,
)

MAX_LINKS = 40  # of one path, as in Linux: path_resolution(7)
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC  # unlike _LOOK it makes an automount come
_MANY = stat.S_IWGRP | stat.S_IWOTH


class Place(NamedTuple):
    """`name` in the folder that the descriptor `folder` is open on; `users` had a say in it.

    `is_link`: a magic link of /proc, which leads where no path does. `is_ours`: nobody but root and us could have put
    something else there.
    """

    folder: int
    name: str
    status: os.stat_result
    users: Users
    is_link: bool
    is_ours: bool


class Entry(NamedTuple):
    """Of a folder. A link to a folder is none."""

    name: str
    is_folder: bool


def open_file(path: Path, users: Users = NO_USERS) -> IO[bytes]:
    """A regular file, unbuffered. OSError, and RefusedError where one of the users could not read it."""
    with _reach(path, users) as place:
        _check_kind(place.status)  # before it is opened: a device may do something then
        file = os.fdopen(_open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY), "rb", buffering=0)
        try:
            status = os.fstat(file.fileno())
            _check_kind(status)
            if not place.is_link and not os.path.samestat(status, place.status):
                raise OSError(errno.EAGAIN, "it was replaced in that moment")
            require(_path(place.folder, place.name), status, READ, place.users)
            if place.users and not os.fstatvfs(file.fileno()).f_blocks:
                raise RefusedError(errno.EACCES, "a file of the kernel's own, whose mode does not tell who may read it")
        except BaseException:
            file.close()
            raise
        return file


def look(path: Path, users: Users = NO_USERS) -> os.stat_result:
    """The status of what the path leads to. OSError as `open_file`; but it need be neither readable nor regular."""
    with _reach(path, users) as place:
        if place.is_link:
            return os.stat(place.name, dir_fd=place.folder)
        require(_path(place.folder, place.name), place.status, READ, place.users)
        return place.status


def is_file(path: Path, users: Users = NO_USERS) -> bool:
    """Whether it is regular, or is refused: whoever opens it is told why."""
    try:
        return stat.S_ISREG(look(path, users).st_mode)
    except RefusedError:
        return True
    except OSError:
        return False


def is_folder(path: Path, users: Users = NO_USERS) -> bool:
    try:
        return stat.S_ISDIR(look(path, users).st_mode)
    except OSError:
        return False


def list_folder(path: Path, users: Users = NO_USERS) -> list[Entry]:
    """By name; empty where it may not be read or is none."""
    try:
        with _reach(path, users) as place, _descriptor(_open(place, os.O_RDONLY | os.O_DIRECTORY)) as folder:
            require(_path(folder), os.fstat(folder), READ | SEARCH, place.users)
            with os.scandir(folder) as entries:
                return sorted(Entry(e.name, e.is_dir(follow_symlinks=False)) for e in entries)
    except OSError:
        return []


@contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """A descriptor of a folder to write into. OSError, and RefusedError as `open_file`."""
    with _reach(path, NO_USERS) as place, _descriptor(_open(place, _ENTER)) as folder:
        require(_path(folder), os.fstat(folder), WRITE | SEARCH, place.users)
        yield folder


def open_new(path: Path) -> IO[bytes]:
    """To write, unbuffered: a file that was not there, or a device, a pipe or a link of /proc of our own.

    OSError, and RefusedError as `open_file`.
    """
    with open_folder(path.parent) as folder, suppress(FileExistsError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC  # O_EXCL follows no link
        return os.fdopen(os.open(path.name, flags, 0o666, dir_fd=folder), "wb", buffering=0)
    with _reach(path, NO_USERS) as place:
        if place.users or others(place.status.st_uid):
            raise RefusedError(errno.EPERM, "another user put there what is there")
        if stat.S_ISREG(place.status.st_mode):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        return os.fdopen(_open(place, os.O_WRONLY | os.O_NOCTTY), "wb", buffering=0)


def is_ours(path: Path) -> bool:
    """Whether root or we put there what is there, and nobody else can put something else there."""
    try:
        with _reach(path, NO_USERS) as place:
            return place.is_ours and not place.users and not place.is_link
    except OSError:
        return False


@contextmanager
def _reach(path: Path, users: Users) -> Iterator[Place]:
    walk = _Walk(users)
    try:
        yield walk.follow(str(path))
    finally:
        walk.close()


class _Walk:
    """The way along a path; `folder` is where it has come to."""

    def __init__(self, users: Users) -> None:
        self.users, self.folder, self.is_ours = users, -1, True
        self._links = 0

    def follow(self, path: str) -> Place:
        self._enter("/" if path.startswith("/") else ".")
        rest = _split(path)
        while rest:
            name = rest.pop()
            with _descriptor(os.open(name, _LOOK, dir_fd=self.folder)) as entry:
                status = os.fstat(entry)
                self._meet(status)
                if stat.S_ISLNK(status.st_mode):
                    if _is_magic(status):
                        if not rest:
                            return Place(self.folder, name, status, self.users, True, self.is_ours)
                        self._enter(name, follow=True)
                        continue
                    target = os.readlink("", dir_fd=entry)  # of the very link that was looked at
                    if target.startswith("/"):
                        self._enter("/")
                    rest += _split(target)
                    continue
            if not rest:
                return Place(self.folder, name, status, self.users, False, self.is_ours)
            self._enter(name)
        return Place(self.folder, ".", os.fstat(self.folder), self.users, False, self.is_ours)

    def close(self) -> None:
        if self.folder >= 0:
            os.close(self.folder)
            self.folder = -1

    def _enter(self, name: str, follow: bool = False) -> None:
        flags = _ENTER if follow else _ENTER | os.O_NOFOLLOW
        folder = os.open(name, flags, dir_fd=None if self.folder < 0 else self.folder)
        self.close()
        self.folder = folder
        status = os.fstat(folder)
        require(_path(folder), status, SEARCH, self.users)
        self.is_ours = self.is_ours and _is_kept(status)

    def _meet(self, status: os.stat_result) -> None:
        """Who has a say by what is met in this folder."""
        if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
            self.users |= _linkers(os.fstat(self.folder))
        if stat.S_ISLNK(status.st_mode):
            self._links += 1
            if self._links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            self.users |= owner_of_link(status)
        else:
            self.is_ours = self.is_ours and _is_kept(status)


def _split(path: str) -> list[str]:
    """The last component first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def _linkers(folder: os.stat_result) -> Users:
    """Who may give files more names in a folder."""
    return others(folder.st_uid) | (frozenset({ANYBODY}) if folder.st_mode & _MANY else NO_USERS)


def _is_kept(status: os.stat_result) -> bool:
    """Whether it is root's or ours, and others cannot change it."""
    shared = status.st_mode & (stat.S_IWOTH | (stat.S_IWGRP if status.st_gid else 0))
    return not others(status.st_uid) and (not shared or bool(status.st_mode & stat.S_ISVTX))


def _is_magic(status: os.stat_result) -> bool:
    """A link of /proc: /proc/PID/root, /proc/PID/fd/1."""
    try:
        return status.st_dev == Path("/proc").stat().st_dev
    except OSError:
        return False


def _check_kind(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")


def _open(place: Place, flags: int) -> int:
    return os.open(place.name, flags | os.O_CLOEXEC | (0 if place.is_link else os.O_NOFOLLOW), dir_fd=place.folder)


@contextmanager
def _descriptor(number: int) -> Iterator[int]:
    try:
        yield number
    finally:
        os.close(number)


def _path(folder: int, name: str = ".") -> str:
    """For calls that know no descriptors of this kind."""
    return f"/proc/self/fd/{folder}/{name}"
