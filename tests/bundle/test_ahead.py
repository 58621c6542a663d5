"""Decompressed in a thread: the same bytes, breaks and counts as without, and the thread ends with its reader."""

import random
import threading
from pathlib import Path

import pytest
from packing import COMPRESSORS, pack_tar, read_all, write

from analyzer.bundle import Loss, Member, ReadObserver, StoppedError, list_input_files, open_input_files
from analyzer.bundle.read_ahead import BLOCK_BYTES, MAX_BLOCKS_AHEAD

SLACK = 256 * 1024  # bytes: what a decoder and the look-ahead of a stream hold
NOISE = random.Random(3).randbytes(8 << 20)  # which no compressor makes smaller
FILES = {"a.log": NOISE[:3_000_000], "b.log": b"the same again\n" * 300_000, "c.log": NOISE[3_000_000:]}


@pytest.fixture(autouse=True)
def no_thread_is_left() -> object:
    yield
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("decompress")]


class Taken(ReadObserver):
    """Counts, and stops once `most` bytes were taken."""

    def __init__(self, most: int = 1 << 60) -> None:
        self.taken, self.most, self.threads = 0, most, set[str]()

    def count_read(self, size: int) -> None:
        self.taken += size
        if size:
            self.threads.add(threading.current_thread().name)
        if self.taken > self.most:
            raise StoppedError("reading was stopped here")


@pytest.mark.parametrize("kind", ["gz", "zst", "lz4"])
@pytest.mark.parametrize("damage", ["none", "cut", "changed"])
def test_the_same_as_without(kind: str, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = bytearray(COMPRESSORS[kind](pack_tar(FILES)))
    if damage == "cut":
        del packed[len(packed) // 2 :]
    elif damage == "changed":
        packed[-100_000] ^= 0x55
    path = write(tmp_path / "x.tar.packed", bytes(packed))
    ahead = read_all(path)
    monkeypatch.setattr("analyzer.bundle.opener.MIN_READ_AHEAD_BYTES", 1 << 60)
    alone = read_all(path)
    assert ahead == alone
    assert (ahead[0] == FILES) is (damage == "none")


def test_nothing_is_read_beyond_a_few_blocks(tmp_path: Path) -> None:
    taken = Taken()
    path = write(tmp_path / "x.tar.gz", COMPRESSORS["gz"](pack_tar(FILES)))
    items = open_input_files(list_input_files([path]), observer=taken)
    item = next(items)
    assert isinstance(item, Member)
    assert item.stream.read(1000) == NOISE[:1000]
    items.close()  # type: ignore[attr-defined]
    assert any(name.startswith("decompress") for name in taken.threads)
    assert taken.taken <= (MAX_BLOCKS_AHEAD + 1) * BLOCK_BYTES + SLACK


def test_what_was_decompressed_and_not_handed_out_is_left(tmp_path: Path) -> None:
    """Of a reading that is stopped every byte is either read or said to be left."""
    path = write(tmp_path / "x.log.gz", COMPRESSORS["gz"](NOISE))
    items = open_input_files(list_input_files([path]), observer=Taken(4_000_000))
    item = next(items)
    assert isinstance(item, Member)
    got = 0
    with pytest.raises(StoppedError):
        while block := item.stream.read(100_000):
            assert block == NOISE[got : got + len(block)]
            got += len(block)
    left = item.stream.bytes_left()
    assert 4_000_000 - (MAX_BLOCKS_AHEAD + 1) * BLOCK_BYTES - SLACK < got < 4_000_000 + SLACK
    assert left is not None
    assert abs(path.stat().st_size - got - left) < BLOCK_BYTES + SLACK
    assert not [item for item in items if isinstance(item, Member)]


def test_small_ones_need_no_thread(tmp_path: Path) -> None:
    taken = Taken()
    path = write(tmp_path / "x.tar.gz", COMPRESSORS["gz"](pack_tar({"a.log": NOISE[:500_000]})))
    assert not [item for item in open_input_files(list_input_files([path]), observer=taken) if isinstance(item, Loss)]
    assert taken.threads == {threading.current_thread().name}
