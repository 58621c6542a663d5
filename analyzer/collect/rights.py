"""Which users are trusted, and what the other users could read and write by themselves."""

from __future__ import annotations

import functools
import os
import pwd
import re
from pathlib import Path

READ, WRITE, SEARCH = 4, 2, 1  # the bits of a mode for others
ANYBODY = -1  # a user who owns nothing and is in no group
Users = frozenset[int]  # user ids
NO_USERS: Users = frozenset()
# "36 35 0:50 / /mnt rw … - fuse.sshfs host:/ rw,user_id=1001,…": proc(5), mountinfo; mount.fuse3(8)
_MOUNT_DEVICE = re.compile(r"\d+ \d+ (\d{1,18}):(\d{1,18}) ")
_FUSE_USER = re.compile(r"fuse.*\buser_id=(\d{1,18})")


class RefusedError(PermissionError):
    """A user who controls a path may not go where it leads."""


def other_users(*users: int) -> Users:
    """Return the users that are not trusted: all but root and the user who runs this."""
    return frozenset(users) - _trusted_users()


def process_users(pid: int) -> Users:
    """Return the untrusted users that a process runs as.

    The owner of /proc/PID does not tell: a process can make root the owner (PR_SET_DUMPABLE).
    """
    try:
        match = re.search(r"^Uid:((?:\s+\d+)+)", Path(f"/proc/{pid}/status").read_text(), re.M)
    except OSError:
        match = None
    return other_users(*map(int, match[1].split())) if match else frozenset({ANYBODY})


def link_owner(status: os.stat_result) -> Users:
    """Return the owner of a link unless trusted. On a file system that a user serves (FUSE), that user owns
    everything.
    """
    user = _fuse_users().get(status.st_dev, status.st_uid)
    return other_users(user)


def require_rights(path: str, status: os.stat_result, rights: int, users: Users) -> None:
    """Raise RefusedError if one of the users lacks one of the rights. `path` is used to look for an access control
    list.
    """
    lacking = [user for user in sorted(users) if rights & ~_user_rights(user, path, status)]
    if lacking:
        names = ", ".join("(anybody)" if user == ANYBODY else _user_name(user) for user in lacking)
        raise RefusedError(1, f"user {names} controls this path, but may not read the file that it leads to")


def _user_rights(user: int, path: str, status: os.stat_result) -> int:
    """Return the user's rights by path_resolution(7). An owner has all rights, because he can grant them to himself."""
    if user == status.st_uid:
        return READ | WRITE | SEARCH
    if status.st_gid in _group_ids(user) and not _has_acl(path):  # with a list the group's bits are a mask: acl(5)
        return status.st_mode >> 3 & 7
    return status.st_mode & 7


def _has_acl(path: str) -> bool:
    try:
        return bool(os.getxattr(path, "system.posix_acl_access", follow_symlinks=False))
    except OSError:
        return False


@functools.cache
def _group_ids(user: int) -> frozenset[int]:
    try:
        entry = pwd.getpwuid(user)
        return frozenset(os.getgrouplist(entry.pw_name, entry.pw_gid))
    except (KeyError, OverflowError, OSError):
        return frozenset()


def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except (KeyError, OverflowError):
        return f"user {user}"


@functools.cache
def _trusted_users() -> Users:
    """Return root and the user who runs this.

    In a user namespace that does not map all users, the host's root looks like the overflow user, which is then
    trusted: user_namespaces(7).
    """
    try:
        id_ranges = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
        overflow_id = int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError):
        return frozenset({0, os.geteuid()})
    is_mapped = any(start <= overflow_id < start + count for start, _, count in id_ranges)
    return frozenset({0, os.geteuid()} | (set() if is_mapped else {overflow_id}))


def _fuse_users() -> dict[int, int]:
    """Return device → user id of the mounted FUSE file systems. Read each time, because a user may mount one
    meanwhile.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_text(errors="replace")
    except OSError:
        return {}
    user_by_device = {}
    for line in mounts.splitlines():
        mount, _, kind = line.partition(" - ")
        device, user = _MOUNT_DEVICE.match(mount), _FUSE_USER.match(kind)
        if device and user:
            user_by_device[os.makedev(int(device[1]), int(device[2]))] = int(user[1])
    return user_by_device
