"""The incident as Markdown for GitHub: headings, lists, pipe tables, fences, and details elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from analyzer.report.controls import show_controls
from analyzer.report.document import WrittenIncident
from analyzer.report.formatting import clip, to_one_line
from analyzer.report.ticket import Dialect, render_ticket

MAX_CHARS = 65_536  # characters of a GitHub issue or comment
MAX_GITLAB_CHARS = 1_048_576  # characters of a GitLab issue or comment
CODE_SPAN_OR_WORD = re.compile(r"((?<!`)`[^`]+`(?!`)|[^\s`]+)")  # a code span, or a word
# Text that GitHub or GitLab turns into a mention, a reference, a link or an emoji, even after a backslash.
LIVE_REFERENCE = re.compile(
    r"@|#\d|://|\bwww\.|\bmailto:|\bGH-\d|[!$%&^]\d|[~%]\"|~[A-Za-z_]|\[[a-z_]+:|\^alert#|"
    r"(?<!\d):(?:[a-z+-][\w+-]*|100|1234|8ball):(?!\d)"
)
SPECIAL_CHARS = re.compile(r"[\\*\[\]<>|~&$]|(?<![^\W_])_|_(?![^\W_])")
BLOCK_START = re.compile(r"^(?:(?=[-+#=])|(\d{1,9})(?=[.)](?:\s|$)))")  # a list, a heading, a rule


def render_markdown(incident: WrittenIncident) -> str:
    """Return at most 65,536 characters of Markdown."""
    return render_ticket(incident, MARKDOWN)


def render_gitlab(incident: WrittenIncident) -> str:
    """Return at most 1,048,576 characters of Markdown."""
    return render_ticket(incident, replace(MARKDOWN, limit=MAX_GITLAB_CHARS))


def _format_heading(level: int, words: str) -> str:
    return f"{'#' * level} {words}"


def _format_plain(words: str, width: int) -> str:
    """Return text without Markdown markup. Text that would become a mention, a reference or a link is put into a code
    span.
    """
    pieces = CODE_SPAN_OR_WORD.split(to_one_line(words, width).strip())
    for index, piece in enumerate(pieces):
        is_code = index % 2 and (piece.startswith("`") or LIVE_REFERENCE.search(piece))
        escaped = SPECIAL_CHARS.sub(r"\\\g<0>", piece.replace("`", "'"))
        pieces[index] = _format_code(piece.strip("`"), width) if is_code else escaped
    return BLOCK_START.sub(r"\1\\", "".join(pieces))


def _format_code(words: str, width: int = 160) -> str:
    """Return a code span for a table cell. GitHub and GitLab differ on backticks and pipes inside code spans."""
    words = to_one_line(words, width).replace("`", "'").replace("|", "¦").strip()
    return f"`{words}`" if words else ""


def _format_fence(lines: Sequence[str]) -> str:
    longest = max((len(run) for line in lines for run in re.findall("`{3,}", line)), default=2)
    ticks = "`" * (longest + 1)
    return "\n".join((f"{ticks}text" if longest == 2 else ticks, *(show_controls(line) for line in lines), ticks))


def _format_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *body)
    return "\n".join("| " + " | ".join(clip(cell, 1000) or " " for cell in line) + " |" for line in lines)


def _format_items(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _format_steps(sentences: Iterable[str]) -> str:
    return "\n".join(f"1. {sentence}" for sentence in sentences)


def _format_fold(title: str, blocks: Sequence[str]) -> str:
    """Return a details element, the only HTML that GitHub, GitLab and Gitea all show; blank lines keep its content
    Markdown.
    """
    return "\n\n".join((f"<details>\n<summary>{title}</summary>", *blocks, "</details>"))


MARKDOWN = Dialect(
    limit=MAX_CHARS,
    heading=_format_heading,
    plain=_format_plain,
    code=_format_code,
    fence=_format_fence,
    table=_format_table,
    items=_format_items,
    steps=_format_steps,
    fold=_format_fold,
)
