"""The ledger of archives in archives and of sparse files: what lies before a cut is read, to the byte."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from packing import pack_tar, read_all, write

HOLE = 1 << 20
FORMS = {"gnu": ["--format=gnu"], "pax 0.0": ["--format=pax", "--sparse-version=0.0"]}
FORMS |= {f"pax {version}": ["--format=pax", f"--sparse-version={version}"] for version in ("0.1", "1.0")}


def test_a_nested_tar_cut_anywhere_gives_what_is_there(tmp_path: Path) -> None:
    inner = pack_tar({"a": b"A" * 700, "b": b"B" * 513, "c": b""})
    data = pack_tar({"in.tar": inner, "last": b"L" * 100})
    at = data.index(inner)
    spans = [(at + 512, at + 512 + 700), (at + 2048, at + 2048 + 513)]
    last = data.index(b"L" * 100)
    for cut in range(1025, len(data), 7):
        good, losses, broken = read_all(write(tmp_path / "x", data[:cut]))
        wanted = sum(max(0, min(cut, end) - start) for start, end in (*spans, (last, last + 100)))
        assert sum(map(len, good.values())) == wanted, cut
        assert sum(loss.size or 0 for loss in losses.values()) == 0, (cut, losses)
        assert losses or broken or cut > last + 100


@pytest.mark.parametrize("form", FORMS)
def test_a_sparse_file_cut_anywhere_gives_what_is_there(form: str, tmp_path: Path) -> None:
    """Holes are read as zeros and stored nowhere: of the rest, as much is read as there is."""
    if shutil.which("tar") is None:
        pytest.skip("no tar")
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as file:
        for number in range(3):
            file.seek(number * HOLE)
            file.write(bytes([65 + number]) * 4096)
        file.truncate(3 * HOLE)
    command = ["tar", "--sparse", *FORMS[form], "-C", str(tmp_path), "-cf", str(tmp_path / "s.tar"), "sparse"]
    if subprocess.run(command, capture_output=True).returncode or (tmp_path / "s.tar").stat().st_size > HOLE:
        pytest.skip("this tar or this disk keeps no holes")
    data, content = (tmp_path / "s.tar").read_bytes(), sparse.read_bytes()
    good, losses, broken = read_all(write(tmp_path / "x", data))
    assert (good, losses, broken) == ({"sparse": content}, {}, {})
    begin = data.index(b"A" * 4096)
    for cut in range(begin + 1, begin + 3 * 4096, 911):
        good, _, _ = read_all(write(tmp_path / "x", data[:cut]))
        recovered = good["sparse"]
        assert recovered == content[: len(recovered)]
        assert len(recovered) - recovered.count(0) == cut - begin
