"""The incident as Markdown that GitHub shows right: headings, lists, pipe tables, fences, and details that open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from analyzer.report.ticket import Dialect, render_ticket
from analyzer.report.wording import clip, one_line, visible

LIMIT = 65_536  # characters of a GitHub issue or comment
PIECE = re.compile(r"((?<!`)`[^`]+`(?!`)|[^\s`]+)")  # a code span, or a word
# What GitHub or GitLab makes a mention, a reference, a link or an emoji, whatever backslash stands before it.
LIVE = re.compile(
    r"@|#\d|://|\bwww\.|\bmailto:|\bGH-\d|[!$%&^]\d|[~%]\"|~[A-Za-z_]|\[[a-z_]+:|\^alert#|"
    r"(?<!\d):(?:[a-z+-][\w+-]*|100|1234|8ball):(?!\d)"
)
SPECIAL = re.compile(r"[\\*\[\]<>|~&$]|(?<![^\W_])_|_(?![^\W_])")
LEADING = re.compile(r"^(?:(?=[-+#=])|(\d{1,9})(?=[.)](?:\s|$)))")  # a list, a heading, a rule


def render_markdown(incident: Mapping[str, object]) -> str:
    """At most 65,536 characters."""
    return render_ticket(incident, MARKDOWN)


def _heading(level: int, words: str) -> str:
    return f"{'#' * level} {words}"


def _plain(words: str, width: int) -> str:
    """Text without Markdown's marks. What would be a mention, a reference or a link stands in a code span."""
    pieces = PIECE.split(one_line(words, width).strip())
    for index, piece in enumerate(pieces):
        is_code = index % 2 and (piece.startswith("`") or LIVE.search(piece))
        escaped = SPECIAL.sub(r"\\\g<0>", piece.replace("`", "'"))
        pieces[index] = _code(piece.strip("`"), width) if is_code else escaped
    return LEADING.sub(r"\1\\", "".join(pieces))


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


def _items(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {one}" for one in sentences)


def _steps(sentences: Iterable[str]) -> str:
    return "\n".join(f"1. {one}" for one in sentences)


def _fold(title: str, blocks: Sequence[str]) -> str:
    """The one HTML that GitHub, GitLab and Gitea all show; blank lines keep what is inside Markdown."""
    return "\n\n".join((f"<details>\n<summary>{title}</summary>", *blocks, "</details>"))


MARKDOWN = Dialect(LIMIT, _heading, _plain, _code, _fence, _table, _items, _steps, _fold)
