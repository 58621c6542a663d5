"""Root collects from a user's folder: nothing that the user could not read, and all that is the job's."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from collecting import ROOT, files_of, manifest_of, run
from hostile import SECRET, USER, make_file, make_folder, make_link, needs_root

from analyzer.collect import rights
from analyzer.collect.files import match_files
from analyzer.collect.safe_open import RefusedError, is_trusted, open_file, stat_path


def read(path: Path, users: rights.Users = rights.NO_USERS) -> bytes:
    with open_file(path, users) as file:
        return file.read()


def documented_epilog(collector: Path, incidents: Path) -> str:
    """As docs/collecting.md has it, for the places of this test."""
    text = (ROOT / "docs" / "collecting.md").read_text()
    match = re.search(r"```sh\n(#!/bin/sh\n# /etc/slurm/epilog.*?)```", text, re.S)
    assert match is not None
    script = match[1].replace("/opt/collector.pyz", str(collector)).replace("/shared/incidents", str(incidents))
    assert str(collector) in script and str(incidents) in script
    return script.replace("/usr/bin/python3", sys.executable)


@needs_root
def test_the_documented_epilog_shows_nothing_that_the_user_could_not_read(collector: Path, ground: Path) -> None:
    user, secret = ground / "user", ground / "secret.log"
    make_file(user / "slurm-77.out", "step 1 of the job\n")
    make_link(user / "slurm-77-link.out", secret)
    make_link(user / "slurm-77-up.out", "../secret/worker.log")
    make_link(user / "slurm-77-shadow", "/etc/shadow")
    make_link(user / "slurm-77-folder", ground / "secret")
    os.link(secret, user / "slurm-77-second-name.out")
    os.mkfifo(user / "slurm-77-pipe.out")
    os.mknod(user / "slurm-77-zero.out", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    make_file(user / "slurm-77\n\x1b[31m.out", "an odd name\n")
    tools, incidents = ground / "tools", ground / "incidents"
    tools.mkdir()
    (tools / "scontrol").write_text("#!/bin/sh\necho '   JobState=FAILED ExitCode=1:0'\n")
    (tools / "scontrol").chmod(0o755)
    result = subprocess.run(
        ["/bin/sh", "-c", documented_epilog(collector, incidents)],
        env={
            "PATH": f"{tools}:{os.environ['PATH']}",
            "SLURM_JOB_ID": "77",
            "SLURM_JOB_EXIT_CODE": "256",
            "SLURM_JOB_WORK_DIR": str(user),
        },
        cwd=user,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr and "\x1b" not in result.stderr
    (archive,) = (incidents / "77").iterdir()
    assert archive.stat().st_mode & 0o777 == 0o600 and archive.stat().st_uid == 0
    files, manifest = files_of(archive), manifest_of(archive)
    logs = {name: data for name, data in files.items() if name.startswith("logs/")}
    assert logs == {"logs/slurm-77.out": b"step 1 of the job\n", "logs/slurm-77\n\x1b[31m.out": b"an odd name\n"}
    assert not any(SECRET in data for data in files.values())
    reasons = {lack["what"]: lack["reason"] for lack in manifest["lacking"]}
    for name in ("slurm-77-link.out", "slurm-77-up.out", "slurm-77-shadow", "slurm-77-second-name.out"):
        assert "may not read the file that it leads to" in reasons[str(user / name)], name
    assert "worker.log" not in str([what for what in reasons if "slurm-77-folder" in what])


@needs_root
@pytest.mark.parametrize("pattern", ["*.log", "**/*.log", "", "sub/worker.log", "*/worker.log"])
def test_no_pattern_leads_out_of_a_users_reach(ground: Path, pattern: str) -> None:
    user = ground / "user"
    make_file(user / "own.log")
    make_link(user / "secret.log", "../secret.log")
    make_link(user / "sub", "../secret")
    make_link(user / "up", "..")
    make_link(user / "kernel", "/proc/self")
    result = run("collect", "--out", ground / "n.tar", "--log", user / pattern)
    assert result.returncode == 0, result.stderr
    assert SECRET not in (ground / "n.tar").read_bytes()
    assert ("own.log" in str([*files_of(ground / "n.tar")])) == (pattern not in ("sub/worker.log", "*/worker.log"))


@needs_root
def test_what_is_the_jobs_is_read(ground: Path) -> None:
    """Logs in a project's folder that is root's, links of a user between his own files, root's own log there."""
    user, project = ground / "user", make_folder(ground / "project", 0o2775, 0)
    runs = make_folder(user / "runs", 0o700)
    make_file(runs / "worker.log", "behind a link\n")
    make_link(user / "latest", "runs")
    make_link(user / "absolute.log", runs / "worker.log")
    make_link(project / "mine", user / "latest")
    make_file(project / "worker.log", "in the project\n")
    make_file(user / "daemon.log", "of a daemon\n", 0o600, 0)
    make_file(ground / "all.log", "for all\n", 0o644, 0)
    make_link(user / "all.log", "../all.log")
    make_link(ground / "admins.log", "secret/worker.log", 0)
    assert read(user / "latest" / "worker.log") == read(user / "absolute.log") == b"behind a link\n"
    assert read(project / "mine" / "worker.log") == b"behind a link\n"
    assert read(project / "worker.log") == b"in the project\n"
    assert read(user / "daemon.log") == b"of a daemon\n" and read(user / "all.log") == b"for all\n"
    assert read(ground / "admins.log") == SECRET  # root's own link
    assert [*match_files(f"{user}/**/worker.log")] == [runs / "worker.log"]
    assert [*match_files(f"{user}/*/worker.log")] == [user / "latest" / "worker.log", runs / "worker.log"]


@needs_root
def test_the_owner_of_a_link_must_be_able_to_go_all_the_way(ground: Path) -> None:
    user, other = ground / "user", USER - 1
    make_folder(ground / "other", 0o755, other)
    make_file(ground / "other" / "private.log", mode=0o600, owner=other)
    make_file(ground / "other" / "public.log", "public\n", 0o644, other)
    make_folder(ground / "other" / "locked", 0o700, other)
    make_file(ground / "other" / "locked" / "public.log", mode=0o644, owner=other)
    make_link(ground / "other" / "way", "locked/public.log", other)
    for name in ("private.log", "public.log", "locked/public.log", "way"):
        make_link(user / name.replace("/", "-"), ground / "other" / name)
    assert read(user / "public.log") == b"public\n" and read(ground / "other" / "way")
    for refused in ("private.log", "locked-public.log", "way"):
        with pytest.raises(RefusedError):
            open_file(user / refused)


@needs_root
def test_a_second_name_in_a_folder_that_many_may_write_to_is_for_all_or_none(ground: Path) -> None:
    shared = make_folder(ground / "shared", 0o1777, 0)
    victim = make_file(ground / "user" / "private.log", mode=0o600)
    os.link(victim, shared / "worker.log")
    with pytest.raises(RefusedError, match="anybody"):
        open_file(shared / "worker.log")
    assert read(victim) == b"step 1\n"  # in the folder of its owner
    victim.chmod(0o644)
    assert read(shared / "worker.log") == b"step 1\n"


@needs_root
def test_no_swap_between_a_look_and_the_opening_helps(ground: Path) -> None:
    """A folder that is a link and a folder again, all the time."""
    user = ground / "user"
    make_file(make_folder(user / "folder") / "worker.log", "own\n")
    make_link(user / "link", ground / "secret")
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            for name in ("folder", "link"):
                (user / name).rename(user / "logs")
                (user / "logs").rename(user / name)

    thread = threading.Thread(target=swap)
    thread.start()
    outcomes = set()
    try:
        for _ in range(3000):
            try:
                outcomes.add(read(user / "logs" / "worker.log"))
            except OSError as error:
                outcomes.add(type(error).__name__.encode())
    finally:
        ended.set()
        thread.join()
    assert b"own\n" in outcomes and SECRET not in outcomes


@needs_root
def test_a_user_who_serves_a_file_system_owns_what_it_says_is_roots(
    ground: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_link(ground / "root.log", "secret.log", 0)
    assert read(ground / "root.log") == SECRET
    monkeypatch.setattr(rights, "_fuse_users", lambda: {ground.stat().st_dev: USER})
    with pytest.raises(RefusedError):
        open_file(ground / "root.log")


def test_mounts_of_users_are_told_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = (
        "98 27 0:61 / /home/u/m rw,nosuid - fuse.sshfs host:/x rw,user_id=1001,group_id=100,allow_other\n"
        "99 27 0:62 / /gpfs rw - gpfs gpfs0 rw,user_id=5\n"
    )
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: mounts)
    assert rights._fuse_users() == {os.makedev(0, 61): 1001}


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A log, circles, and folders deeper than a path is long and than Python recurses."""
    (tmp_path / "a.log").write_text("a\n")
    (tmp_path / "circle").symlink_to(".")
    (tmp_path / "round").symlink_to("round")
    try:
        folder = os.open(tmp_path, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("d", dir_fd=folder)
            inner = os.open("d", os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.close(folder)
        yield tmp_path
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # shutil recurses


def test_circles_and_depth_have_an_end(deep: Path) -> None:
    assert [*match_files(str(deep))] == [deep / "a.log"]
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        stat_path(deep / "round")
    result = run("collect", "--out", deep / "n.tar", "--log", deep, "--log", f"{deep}/**/*.log")
    assert result.returncode == 0 and "logs/a.log" in files_of(deep / "n.tar"), result.stderr


@needs_root
def test_the_archive_is_for_its_owner_and_written_nowhere_else(ground: Path) -> None:
    user, victim = ground / "user", make_file(ground / "victim", "as it was\n", 0o644, 0)
    make_link(user / "n.tar", victim)
    result = run("collect", "--out", user / "n.tar", "--seconds", "5")
    assert result.returncode == 0, result.stderr
    assert victim.read_text() == "as it was\n"
    status = (user / "n.tar").lstat()
    assert stat.S_ISREG(status.st_mode) and status.st_mode & 0o777 == 0o600
    make_link(user / "out", ground / "secret")
    result = run("collect", "--out", user / "out" / "n.tar", "--seconds", "5")
    assert result.returncode == 1 and "may not read the file that it leads to" in result.stderr
    assert [*(ground / "secret").iterdir()] == [ground / "secret" / "worker.log"]
    os.mknod(ground / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    result = run("collect", "--out", ground / "null", "--seconds", "5")
    assert result.returncode == 1 and stat.S_ISCHR((ground / "null").stat().st_mode)


def test_an_archive_is_for_its_owner_alone(tmp_path: Path) -> None:
    for name in ("n.tar", "n.tar.gz", "n.tar.zst"):
        (tmp_path / name).touch(0o644)
        assert run("collect", "--out", name, "--seconds", "5", cwd=tmp_path).returncode == 0
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"n.tar", "n.tar.gz", "n.tar.zst"}


PROCESS = """
import mmap, sys
with open(sys.argv[1]) as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
print("ready", flush=True)
sys.stdin.read()
"""


@needs_root
def test_a_users_process_has_its_files_read_and_its_programs_not_run(ground: Path) -> None:
    """Its interpreter, its folder, the files it appends to: all are what the user chose."""
    interpreter = shutil.which("python3", path="/usr/bin:/usr/local/bin:/bin")
    if interpreter is None:
        pytest.skip("needs a Python that everybody may run")
    user, appended = ground / "user", make_file(ground / "append-only.log", SECRET.decode(), 0o622, 0)
    python, packages = make_folder(user / "bin") / "python3", make_folder(make_folder(user / "lib") / "site-packages")
    make_file(python, f"#!/bin/sh\ntouch {ground}/ran\n", 0o755)
    library = make_file(packages / "library.so", "mapped\n")
    make_folder(packages / "some_package-1.2.3.dist-info")
    script = f"exec 2>>{user}/own.log 9>>{appended}; exec -a {python} {interpreter} -c '{PROCESS}' {library}"
    started = subprocess.Popen(
        ["/bin/bash", "-c", script],
        user=USER,
        group=USER,
        extra_groups=[],
        cwd=user,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with started as process:
        assert process.stdin and process.stdout and process.stdout.readline() == b"ready\n"
        result = run("collect", "--out", ground / "n.tar", "--pid", process.pid)
        process.stdin.close()
    assert result.returncode == 0, result.stderr
    files = files_of(ground / "n.tar")
    assert "logs/own.log" in files and files["versions/pip-freeze.txt"] == b"some-package==1.2.3\n"
    assert not any(SECRET in data for data in files.values())
    assert not (ground / "ran").exists()


@needs_root
def test_root_does_not_run_an_interpreter_that_another_user_can_change(ground: Path) -> None:
    python = make_file(ground / "user" / "python3", f"#!/bin/sh\ntouch {ground}/ran\n", 0o755)
    make_link(ground / "user" / "linked", "/bin/sh")
    for named in (python, ground / "user" / "linked"):
        result = run("collect", "--out", ground / "n.tar", "--python", named)
        assert result.returncode == 0
        assert "another user can change this program" in str(manifest_of(ground / "n.tar")["lacking"])
    assert not (ground / "ran").exists()


@needs_root
def test_root_runs_nothing_of_a_users_path_or_folder(ground: Path) -> None:
    user = ground / "user"
    for name in ("chronyc", "kubectl", "ntpq", "ibstat", "timedatectl"):
        make_file(user / name, f"#!/bin/sh\ntouch {ground}/ran\n", 0o755)
    for path in (str(user), "", ".", "bin"):
        result = run("collect", "--out", ground / "n.tar", cwd=user, env={"PATH": f"{path}:{os.environ['PATH']}"})
        assert result.returncode == 0, result.stderr
    assert not (ground / "ran").exists()
    assert is_trusted(Path("/bin/sh")) and not is_trusted(user / "chronyc") and not is_trusted(ground / "gone")


@needs_root
def test_the_modules_that_a_users_core_names_are_read_with_the_users_rights(ground: Path, collector: Path) -> None:
    secret = make_file(ground / "licensed", "\x7fELF" + SECRET.decode(), 0o700, 0)
    public = make_file(ground / "public", "\x7fELF for all", 0o755, 0)
    os.mkfifo(ground / "pipe")
    core = ground / "user" / "core.1"
    core.write_bytes(make_core([str(secret), str(public), str(ground / "pipe"), f"/../../..{public}"]))
    for owner, user in ((USER, 0), (0, USER), (0, None)):
        core.write_bytes(make_core([str(secret), str(public), str(ground / "pipe")], user))
        os.chown(core, owner, owner)
        asked = ["--core", str(core), "--out", str(ground / "n.tar")]
        result = subprocess.run([sys.executable, str(collector), "collect", *asked], capture_output=True, timeout=120)
        assert result.returncode == 0, result.stderr
        names = [name for name in files_of(ground / "n.tar") if name.startswith("cores/sysroot/")]
        assert names == [f"cores/sysroot{public}"], (owner, user)


def make_core(files: list[str], user: int | None = 0) -> bytes:
    """An x86-64 core of notes alone: who ran it, and what was mapped."""
    rows = struct.pack("<QQ", len(files), 4096) + bytes(24 * len(files))
    notes = [(0x46494C45, rows + b"".join(os.fsencode(name) + b"\0" for name in files))]
    if user is not None:
        notes.append((3, bytes(16) + struct.pack("<I", user) + bytes(116)))
    body = b""
    for kind, data in notes:
        body += struct.pack("<III", 5, len(data), kind) + b"CORE\0\0\0\0" + data + bytes(-len(data) % 4)
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return head + struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(body), 0, 1) + body


def test_names_that_steer_a_terminal_are_written_out(collector: Path, tmp_path: Path) -> None:
    asked = ["--out", str(tmp_path / "n.tar"), "--log", f"{tmp_path}/\x1b[31m\r\x9b*", "--seconds", "5"]
    result = subprocess.run([sys.executable, str(collector), "collect", *asked], capture_output=True, timeout=60)
    assert result.returncode == 0 and b"\\x1b[31m\\r\\x9b*: no such file" in result.stderr


@pytest.mark.parametrize("kind", ["--log", "--core"])
def test_a_pipe_or_a_device_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "worker.log")
    (tmp_path / "linked.log").symlink_to("worker.log")
    (tmp_path / "zero.log").symlink_to("/dev/zero")
    result = run("collect", "--out", tmp_path / "n.tar", kind, tmp_path / "*.log", "--seconds", "30")
    assert result.returncode == 0, result.stderr
    assert f"{kind} {tmp_path}/*.log: no such file" in result.stderr


@needs_root
@pytest.mark.parametrize("make", [os.symlink, os.link], ids=["link", "second name"])
def test_a_user_follows_his_own_links_and_those_of_others_as_far_as_they_could(
    ground: Path, make: Callable[[Path, Path], None]
) -> None:
    user = ground / "user"
    make_file(user / "run.log", "own\n")
    make(user / "run.log", user / "latest.log")
    os.lchown(user / "latest.log", USER, USER)
    make_folder(ground / "other", 0o755, USER - 1)
    make_link(ground / "other" / "trap.log", user / "run.log", USER - 1)

    def check() -> None:
        assert read(user / "latest.log") == b"own\n"
        with pytest.raises(RefusedError):
            open_file(ground / "other" / "trap.log")

    assert done_as(USER, check)


def done_as(user: int, check: Callable[[], None]) -> bool:
    """In a child, because nobody becomes root again."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    code = 1
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        rights._trusted_users.cache_clear()
        check()
        code = 0
    finally:
        os._exit(code)


@needs_root
def test_in_a_users_namespace_the_machines_root_is_trusted(ground: Path) -> None:
    """There it looks like the user who stands for all that are not known, and what is the user's like root's."""
    make_file(ground / "user" / "worker.log", "own\n")
    make_link(ground / "logs", "user", 0)

    def check() -> None:
        library = ctypes.CDLL(None)
        library.prctl(4, 1)  # PR_SET_DUMPABLE: else its files in /proc are root's
        if library.unshare(0x10000000):  # CLONE_NEWUSER
            return  # no namespace of a user's own can be had here
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {USER} 1")
        rights._trusted_users.cache_clear()
        assert os.geteuid() == 0 and ground.stat().st_uid == USER
        assert read(ground / "logs" / "worker.log") == b"own\n"

    assert done_as(USER, check)
