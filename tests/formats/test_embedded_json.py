"""Records of a JSON logger are read behind any prefix, and under keys in any language."""

from __future__ import annotations

import csv
import io
import json

import pytest

from analyzer.formats import read_line
from analyzer.formats.records.learned_keys import learn_keys
from analyzer.formats.unwrap import unwrap_head

USUAL = {"time": "ts", "text": "msg", "host": "host"}
FOREIGN = {"time": "aika", "text": "viesti", "host": "kone"}


def record(at: int, text: str, keys: dict[str, str] = USUAL) -> str:
    values = {
        keys["time"]: f"2026-12-04T17:40:{at:02}.500+02:00",
        keys["host"]: "gx-9",
        keys["text"]: text,
        "nro": at,
    }
    return json.dumps(values, ensure_ascii=False)


def texts(keys: dict[str, str]) -> list[str]:
    return [record(at, f"step {at} loss 0.5" if at % 2 else "opens a shard", keys) for at in range(20)]


def as_csv(records: list[str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["time", "host", "message"])
    writer.writerows(["2026-12-04 15:40:00", "gx-7", text] for text in records)
    return out.getvalue()


COLLECTORS = {
    "compose": lambda records: "".join(f"worker-1  | {text}\nworker-2  | {text}\n" for text in records),
    "kubectl": lambda records: "".join(f"[pod/w-1/tf] {text}\n[pod/w-2/tf] {text}\n" for text in records),
    "journal": lambda records: "".join(f"2026-12-04T17:41:00+0200 gx7 trainer[77]: {text}\n" for text in records),
    "docker": lambda records: "".join(
        json.dumps({"log": f"{text}\n", "stream": "stderr", "time": "2026-12-04T15:41:00.1Z"}) + "\n"
        for text in records
    ),
    "csv": as_csv,
    "bare": lambda records: "".join(f"{text}\n" for text in records),
}
WRITERS = {"compose": "worker-1", "kubectl": "w-1", "journal": "gx7", "csv": "gx-7"}


@pytest.mark.parametrize("keys", [USUAL, FOREIGN], ids=["usual", "foreign"])
@pytest.mark.parametrize("collector", COLLECTORS)
def test_the_record_is_read_as_one_that_stands_alone(collector: str, keys: dict[str, str]) -> None:
    _, plain = unwrap_head(COLLECTORS[collector](texts(keys)).encode())
    line = next(line for line in map(read_line, plain.decode().splitlines()) if "step 3 " in line.message)
    assert line.message.startswith("step 3 loss 0.5")
    assert line.stamps[-1].value == 1796398803.5 or line.stamps[0].value == 1796398803.5
    if collector in WRITERS:
        assert WRITERS[collector] in (line.host, line.stream.partition("/")[0])


@pytest.mark.parametrize(
    "text",
    [
        'TF_CONFIG: {"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}\n' * 9,
        'config {"level": "info", "message": "x"}\n' * 9,
        f"{record(1, 'x')}\n" + "a quotation: " + record(2, "y") + "\nstep 3\n" * 9,
        'a {"ts": \n' * 9,
    ],
    ids=["no message", "no time", "two", "damaged"],
)
def test_other_braces_are_left_alone(text: str) -> None:
    unwrapper, _ = unwrap_head(text.encode())
    assert unwrapper is None or "embedded" not in unwrapper.name


def test_keys_are_learned_from_their_values() -> None:
    assert learn_keys("\n".join(texts(FOREIGN)).encode()) == {"aika": "timestamp", "viesti": "message", "kone": ""}
    assert learn_keys("\n".join(texts(USUAL)).encode()) == {}
    paths = "\n".join(record(at, f"/data/shard-{at}", FOREIGN) for at in range(20))
    untimed = "\n".join(record(at, f"step {at}", FOREIGN).replace("2026-12-04T", "") for at in range(20))
    for other in (paths, untimed, "", record(1, "x", FOREIGN)):
        assert learn_keys(other.encode()) == {}
