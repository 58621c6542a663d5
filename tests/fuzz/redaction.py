"""Redaction: whatever stands around a name that the incident knows, whatever its form, no output holds it.

An input is a log with placeholders, which become names and secrets when it is read: no change spoils what is planted.
"""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any
from urllib.parse import quote, unquote

from rich.console import Console

from analyzer.cli._redaction import choose_names
from analyzer.cli.timeline import FRAME_WRITERS
from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.redact.leak_check import check_clean
from analyzer.redact.rename import rename
from analyzer.redact.secrets import mask_secrets, mask_text
from analyzer.report.decode import decode_incident
from analyzer.report.formatting import write_json
from analyzer.report.html import render_html
from analyzer.report.jira import render_jira
from analyzer.report.json import to_json
from analyzer.report.markdown import render_markdown
from analyzer.report.terminal import render_terminal
from analyzer.timeline.dataframe import make_dataframe
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.rule_seeds import built_in, small_files
from tests.fuzz.target import Target
from tests.redact.kinds import load_cases

# Placeholder → how it is written; the first is how the incident learns of it.
NAMES: Mapping[str, Sequence[str]] = {
    "user": ("quilla", "QUILLA", "Quilla"),
    "host": ("vega-trn17", "VEGA-TRN17", "vega_trn17", "vega.trn17", "vega-trn17.rack2.example.net", "vega-trn[16-18]"),
    "addr": ("10.91.7.25", "10-91-7-25", "10_91_7_25", "25.7.91.10", "0x0a5b0719", "19075B0A", "::ffff:10.91.7.25"),
    "mail": ("ann@vega.example.net", "ann%40vega.example.net", "ANN@VEGA.EXAMPLE.NET"),
    "bucket": ("vega-ckpt-qx", "VEGA-CKPT-QX", "vega_ckpt_qx"),
    "uuid": ("GPU-5a1b2c3d-1111-2222-3333-0123456789ab", "5a1b2c3d11112222333301234567 89ab".replace(" ", "")),
}
LEFT = {
    "user": "quilla",
    "host": r"vega[-_.]trn17|vega-trn\[16",
    "addr": r"10[.]91[.]7[.]25|10[-]91[-]7[-]25|10_91_7_25|25[.]7[.]91[.]10|0x0a5b0719|19075b0a",
    "mail": "ann@vega",
    "bucket": "vega[-_]ckpt[-_]qx",
    "uuid": "5a1b2c3d-1111|5a1b2c3d1111",
}
SECRETS = (
    "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5",
    "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "AKIAIOSFODNN7QZSTUVW",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dcQ9",
    "xoxb-176536724810-198746983230-pdFZKVeTuE8sk7oOHcBrzyab",
)
_PLACE = re.compile(rb"\{\{([a-z]+)(\d)\}\}")
_LINES_WITH_NAMES = (
    "USER={{user0}}",
    "SLURMD_NODENAME={{host0}}",
    "peer {{addr0}}:2222 left",
    "mail to {{mail0}} sent",
    "s3://{{bucket0}}/x",
    "GPU 0: {{uuid0}}",
)
PREAMBLE = "".join(
    f"2026-11-21 07:38:0{at}.000000: E zeta/io.cc:1] {line}\n" for at, line in enumerate(_LINES_WITH_NAMES)
).encode()
AROUND = (
    *(
        (b" ", b" "),
        (b"'", b"'"),
        (b'"', b'":'),
        (b"/", b"/"),
        (b"\\n", b"\\n"),
        (b"%2F", b"%2F"),
        (b"[", b"]"),
        (b"=", b"&"),
    ),
    *((b"@", b":22"), (b"\x1b[31m", b"\x1b[0m"), (b"&quot;", b"&quot;"), (b"\\u0027", b"_"), (b".", b"-")),
)
_SECRET_BEGIN = r"(?:(?<![A-Za-z0-9])|(?<=%2F)|(?<=\\n)|(?<=\\u0027))"  # behind escaped separators, too
CUT = 24  # characters of a secret of which none may be left
WIDE = 4000


@cache
def seeds() -> Sequence[bytes]:
    """The cases of tests/redact, where names are to come, and files of every kind with names put in."""
    lines = [re.sub("⟦.*?⟧", "", case.line) for case in load_cases()]
    cases = [
        f"2026-11-21 07:39:00.000000: E zeta/io.cc:12] {line.replace(needle, placeholder)}\n".encode()
        for case, line in zip(load_cases(), lines, strict=True)
        for needle in case.needles[:1]
        for placeholder in _suitable(case.kind, case.always)
    ]
    chance = Random(7)
    files = [plant(content, chance, ()) for content in list(small_files().values())[::4]]
    return [b"".join(cases[at : at + 12]) for at in range(0, len(cases), 12)] + files


def _suitable(kind: str, always: bool) -> Sequence[str]:
    if always:
        return ("{{secret0}}", "{{secret1}}")
    return tuple(f"{{{{{name}0}}}}" for name in ("user", "host", "bucket"))


def plant(data: bytes, chance: Random, _seeds: Sequence[bytes]) -> bytes:
    """A placeholder somewhere, alone or in an escaped surrounding."""
    at = chance.randrange(len(data) + 1)
    name = chance.choice([*NAMES, "secret"])
    place = b"{{%b%d}}" % (name.encode(), chance.randrange(7))
    before, behind = chance.choice(AROUND)
    return data[:at] + before + place + behind + data[at:]


def escape(data: bytes, chance: Random, _seeds: Sequence[bytes]) -> bytes:
    """A line as a part of an URL or a JSON text, its names too."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    text = _expand(lines[at]).decode("utf-8", "surrogateescape")
    notation = chance.randrange(3)
    if notation == 0:
        escaped = quote(text.encode("utf-8", "surrogateescape"), safe="")
    elif notation == 1:
        escaped = json.dumps({"log": text})
    else:
        escaped = html.escape(text)
    lines[at] = escaped.encode("utf-8", "surrogateescape")
    return b"\n".join(lines)


def _expand(data: bytes) -> bytes:
    def write(match: re.Match[bytes]) -> bytes:
        name, number = match[1].decode(), int(match[2])
        forms = SECRETS if name == "secret" else NAMES.get(name, ())
        return forms[number % len(forms)].encode() if forms else match[0]

    return _PLACE.sub(write, data)


def check(data: bytes) -> None:
    expanded = _expand(data)
    incident = _read(PREAMBLE + expanded)
    plain = to_json(incident)
    frame = make_dataframe(incident)
    assert mask_secrets(plain) == plain, "masking again masks more"
    uncut_secrets = [
        secret for secret in SECRETS if expanded.count(secret.encode()) == expanded.count(secret[:CUT].encode())
    ]
    _check_secrets(["".join(write_json(plain)), render_html(decode_incident(plain)[0]), *frame["text"]], uncut_secrets)
    frame_text = "\n".join(frame["text"])
    shown_names = [
        name
        for name, line in zip(NAMES, _LINES_WITH_NAMES, strict=True)
        if _expand(line.encode()).decode() in frame_text
    ]
    renaming = choose_names(plain, (), (*frame["text"], *frame["file"]))
    hidden = rename(plain, renaming)
    assert rename(hidden, renaming) == hidden, "renaming again renames more"
    for column in ("node", "task", "file", "text"):
        frame[column] = rename([*frame[column]], renaming)
    for output in (*_outputs(hidden), *(write(frame) for write in FRAME_WRITERS.values())):
        check_clean(output, renaming)
        for reading in _readings(output):
            for name in shown_names:
                left = re.search(rf"(?<![a-z0-9])(?:{LEFT[name]})(?![a-z0-9])", reading)
                assert not left, f"{name} is left: {reading[max(0, left.start() - 80) : left.end() + 40]!r}"


def _read(content: bytes) -> Incident:
    packs, plan = built_in()
    intake = IngestResult()
    read_small_text("node-1/worker-0.log", content, plan, intake)
    return diagnose(intake, packs)


def _outputs(plain: Mapping[str, Any]) -> Iterator[str]:
    incident, _ = decode_incident(plain)
    yield "".join(write_json(incident))
    for render in (render_html, render_markdown, render_jira):
        yield render(incident)
    console = Console(file=io.StringIO(), width=WIDE)
    with console.capture() as printed:
        console.print(*render_terminal(incident, console))
    yield printed.get()


def _readings(text: str) -> Iterator[str]:
    """In lower case: as it stands, and without one layer of escapes."""
    lower = text.lower()
    yield lower
    if "%" in lower:
        yield unquote(lower)
    if "\\" in lower:
        yield re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), lower).replace("\\/", "/")


def _check_secrets(outputs: Sequence[str], secrets: Sequence[str]) -> None:
    """`secrets`: those that the input nowhere has in part, so that a part is what a cut left."""
    for output in outputs:
        for secret in secrets:
            left = re.search(rf"{_SECRET_BEGIN}{secret[:CUT]}", output)
            assert not left, f"a secret is left: {output[max(0, left.start() - 80) : left.end() + 40]!r}"


def check_masks(data: bytes) -> None:
    """Any text at all: masked once and for all, in linear time, which the bound of every target sees."""
    text = data.decode("utf-8", "surrogateescape")
    masked = mask_text(text)
    assert mask_text(masked) == masked, "masking again masks more"
    choose_names({"notes": text.split("\n")})


def repeat(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """A piece very often: what takes the square of the time is found."""
    at = chance.randrange(len(data) + 1)
    piece = data[at : at + chance.choice((1, 2, 7, 40))] or b" "
    return data[:at] + piece * (chance.choice((1000, 100_000)) // len(piece)) + data[at:]


TARGETS = (
    Target("redaction", seeds, check, (plant, plant, escape, respell, shuffle_lines)),
    Target("masks", seeds, check_masks, (respell, shuffle_lines, repeat)),
)
