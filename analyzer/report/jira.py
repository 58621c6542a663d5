"""The incident in Jira's wiki markup (the text formatting notation of Jira Server and of Cloud's old editor)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from analyzer.report.ticket import Dialect, render_ticket
from analyzer.report.wording import clip, one_line, visible

LIMIT = 32_767  # characters of a description or a comment
# What the notation reads as markup: braces and brackets anywhere, marks at a word's edge, mentions, images, emoticons.
SPECIAL = re.compile(
    r"[\\{}\[\]|!^~]|(?<!\w)[*_+@-](?=\S)|(?<=\S)[*_+-](?!\w)|\?\?|:(?=[()DPp]\b)|^(?:h[1-6]\.|bq\.|#)"
)


def render_jira(incident: Mapping[str, object]) -> str:
    """At most 32,767 characters."""
    return render_ticket(incident, JIRA)


def _heading(level: int, words: str) -> str:
    return f"h{level}. {words}"


def _plain(words: str, width: int) -> str:
    return SPECIAL.sub(r"\\\g<0>", one_line(words, width).strip().replace("`", "'"))


def _code(words: str, width: int = 160) -> str:
    """Monospaced. Braces and bars inside would end it, so they are shown by look-alikes."""
    words = one_line(words, width).translate(LOOK_ALIKES).strip()
    return f"{{{{{words}}}}}" if words else ""


def _fence(lines: Sequence[str]) -> str:
    inside = "\n".join(visible(line).replace("{noformat", "{ noformat") for line in lines)
    return f"{{noformat}}\n{inside}\n{{noformat}}"


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    first = "||" + "||".join(head) + "||"
    return "\n".join((first, *("|" + "|".join(clip(cell, 1000) or " " for cell in row) + "|" for row in body)))


def _items(sentences: Iterable[str]) -> str:
    return "\n".join(f"* {one}" for one in sentences)


def _steps(sentences: Iterable[str]) -> str:
    return "\n".join(f"# {one}" for one in sentences)


def _fold(title: str, blocks: Sequence[str]) -> str:
    """Jira's notation folds nothing."""
    return "\n\n".join((_heading(3, title), *blocks))


LOOK_ALIKES = str.maketrans({"{": "(", "}": ")", "|": "¦", "[": "(", "]": ")"})
JIRA = Dialect(LIMIT, _heading, _plain, _code, _fence, _table, _items, _steps, _fold)
