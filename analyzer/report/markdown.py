"""The incident as Markdown that GitHub and Jira both show right: headings, lists, pipe tables and fences, no HTML.

Log text stands in fences and code spans alone, where it can neither mention people, link, nor start a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from analyzer.report.answer import Answer, Candidate, answer, when, where
from analyzer.report.cascade import Group, build_cascade
from analyzer.report.passages import rows
from analyzer.report.tolerant import items, member, number, text, texts, whole
from analyzer.report.wording import clip, clock, listed, offset, one_line, plural, visible

LIMIT = 65_536  # characters of a GitHub issue or comment
ROOM = LIMIT - 500  # what the blocks may fill; the rest is for the closing words
EVIDENCE, NODES, GROUPS, UNKNOWN = 8, 60, 20, 10
APART = re.compile(r"((?<!`)`[^`]+`(?!`)|[^\s`]*(?:@|#\d|://|www\.)[^\s`]*)")
SPECIAL = re.compile(r"[\\*\[\]<>|~&$]|(?<!\w)_|_(?!\w)|^[-+#=]|(?<=^\d)[.)](?=\s)")


def render_markdown(incident: Mapping[str, object]) -> str:
    """At most 65,536 characters. Whole blocks are left out, from the end, where it would be more, and it says so."""
    said = answer(incident)
    kept, used, left_out = list[str](), 0, 0
    for block in _blocks(incident, said):
        if left_out or used + len(block) + 2 > ROOM:
            left_out += 1
            continue
        kept.append(block)
        used += len(block) + 2
    if left_out:
        kept.append(
            f"{plural(left_out, 'part')} left out: a ticket holds {LIMIT:,} characters. The HTML report has them."
        )
    return "\n\n".join(kept) + "\n"


def _blocks(incident: Mapping[str, object], said: Answer) -> Iterator[str]:
    yield f"## {_plain(said.headline, 400)}"
    if said.sentence:
        yield _plain(said.sentence, 2000)
    if said.root:
        yield from _diagnosis(said, said.root)
    else:
        yield from _open_question(said)
    if len(said.candidates) > 1:
        yield "### Other candidates"
        yield "\n".join(
            f"- {_plain(one.title, 300)}: {_code(one.cause)} on {_code(one.place)}, {one.status}, "
            f"confidence {one.sureness}"
            for one in said.candidates[1:6]
        )
    cascade = build_cascade(incident)
    if cascade.consequent:
        yield "### What followed"
        yield _groups(cascade.consequent)
    yield from _unknown(incident)
    yield from _nodes(incident)
    if notes := texts(incident, "notes"):
        yield "### Limits of this analysis"
        yield "\n".join(f"- {_plain(note, 400)}" for note in notes[:15])
    yield f"{_plain(said.coverage, 200)}. Incident signature {_code(text(incident, 'signature') or 'none')}."


def _diagnosis(said: Answer, root: Candidate) -> Iterator[str]:
    facts = [
        ("Cause", f"{_code(root.cause)} {_plain(root.means, 300)}"),
        ("Where", _code(root.place)),
        ("When", clock(root.time) or "no time known"),
        ("How sure", f"{root.status}, confidence {root.sureness}"),
        ("Who acts", _plain(root.blame, 200)),
        ("Cascade", _plain(said.cascade, 300)),
    ]
    yield _table(("Question", "Answer"), [(name, value) for name, value in facts if value.strip()])
    for title, sentences, mark in (("Why", root.why, "-"), ("What to do", root.remediation, "1.")):
        if sentences:
            yield f"### {title}"
            yield "\n".join(f"{mark} {_plain(one, 600)}" for one in sentences[:12])
    yield "### Evidence"
    for one in root.evidence[:EVIDENCE]:
        yield _evidence(one)
    if len(root.evidence) > EVIDENCE:
        yield f"{plural(len(root.evidence) - EVIDENCE, 'more line')} in the HTML report."


def _open_question(said: Answer) -> Iterator[str]:
    if said.leads:
        yield "### Where to look"
        yield "\n".join(f"- {_plain(lead, 400)}" for lead in said.leads[:5])
    if said.verdict == "undiagnosed" and said.loudest:
        yield "### The loudest unexplained lines"
        for one in said.loudest:
            yield f"{whole(one, 'count', 1):,}× on {_names(texts(one, 'nodes'))}:"
            yield _evidence(member(one, "example"), around=0)
    if said.needs:
        yield "### What would help"
        yield "\n".join(f"- {_plain(need, 400)}" for need in said.needs)


def _evidence(evidence: Mapping[str, object], around: int = 2) -> str:
    """A sentence with the place and a fence with the lines; the hit has an arrow."""
    shown = rows(evidence, around, 600)[:12]
    wide = max((len(str(row.number)) for row in shown if row.number), default=0)
    lines = [
        f"{'>' if row.hit else ' '} {row.number or '':>{wide}}  {one_line(row.text, 600)}".rstrip() for row in shown
    ]
    return (
        f"{_code(where(evidence))} on {_code(text(evidence, 'node') or 'an unknown node')}, {when(evidence)}\n\n"
        + _fence(lines)
    )


def _groups(groups: Sequence[Group]) -> str:
    table = _table(
        ("What", "Lines", "Nodes", "First"),
        [(_code(group.rule), f"{group.lines:,}", _names(group.nodes), clock(group.first)) for group in groups[:GROUPS]],
    )
    return table + (
        f"\n\n{plural(len(groups) - GROUPS, 'more kind')} in the HTML report." if len(groups) > GROUPS else ""
    )


def _unknown(incident: Mapping[str, object]) -> Iterator[str]:
    found = items(incident, "unclassified")
    if found:
        yield "### Error lines that no rule explains"
        yield _table(
            ("Line", "Count", "Nodes"),
            [
                (_code(text(one, "template"), 200), f"{whole(one, 'count', 1):,}", _names(texts(one, "nodes")))
                for one in found[:UNKNOWN]
            ],
        )


def _nodes(incident: Mapping[str, object]) -> Iterator[str]:
    nodes = items(incident, "nodes")
    if not nodes:
        return
    yield "### Nodes"
    yield _table(
        ("Node", "Tasks", "Clock is ahead", "Last line", "Silent since"),
        [
            (
                _code(text(node, "name")),
                _names(texts(node, "tasks")),
                _ahead(node),
                clock(node.get("last_time")) if node.get("present") is not False else "not in the bundle",
                clock(node.get("silent_since")),
            )
            for node in nodes[:NODES]
        ],
    )
    if len(nodes) > NODES:
        yield f"{plural(len(nodes) - NODES, 'more node')} in the HTML report."


def _ahead(node: Mapping[str, object]) -> str:
    kept = member(node, "clock")
    return (
        offset(number(kept, "offset_s"), number(kept, "error_s"))
        if text(kept, "method") not in ("", "none")
        else "not known"
    )


def _names(names: Sequence[str]) -> str:
    return listed([_code(name, 80) for name in names], 3)


def _plain(words: str, width: int) -> str:
    """Text without Markdown's marks. What GitHub would make a mention, an issue or a link stands in a code span."""
    parts = APART.split(one_line(words, width).strip())
    return "".join(
        _code(part.strip("`"), width) if index % 2 else SPECIAL.sub(r"\\\g<0>", part.replace("`", "'"))
        for index, part in enumerate(parts)
    )


def _code(words: str, width: int = 160) -> str:
    """A code span that may stand in a table. Neither product agrees with the other on backticks or pipes inside one."""
    words = one_line(words, width).replace("`", "'").replace("|", "¦").strip()
    return f"`{words}`" if words else ""


def _fence(lines: Sequence[str]) -> str:
    longest = max((len(run) for line in lines for run in re.findall("`{3,}", line)), default=2)
    ticks = "`" * (longest + 1)
    return "\n".join((f"{ticks}text" if longest == 2 else ticks, *(visible(line) for line in lines), ticks))


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *body)
    return "\n".join("| " + " | ".join(clip(cell, 1000) or " " for cell in line) + " |" for line in lines)
