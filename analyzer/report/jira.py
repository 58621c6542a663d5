"""The incident in Jira's wiki markup (the text formatting notation of Jira Server and of Cloud's old editor).

Jira renders links and macros before it looks at backslashes, and a backslash behind a backslash escapes nothing. So
markup in a text is not escaped: its characters are replaced by their fullwidth forms, which mean nothing to Jira.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from analyzer.report.controls import show_controls
from analyzer.report.document import WrittenIncident
from analyzer.report.formatting import clip, to_one_line
from analyzer.report.ticket import Dialect, render_ticket

MAX_CHARS = 32_767  # characters of a description or a comment
FENCE_END = re.compile(r"\{(?=\s*noformat)", re.I)
# URL schemes that Jira turns into links even without //.
LINKED_SCHEMES = (
    "callto|cvs|facetime|feed|file|git|irc6|itms|magnet|mailto|mvn|news|nntp|notes|rdp|sips?|skype|slack|smb|"
    "sourcetree|ssh|svn|tel|telnet|urn|vnc|whatsapp|xmpp"
)
# What Jira's "Text Formatting Notation Help" lists. A phrase without an end is not markup, so its beginning stays:
# `--limit`.
MARKUP_PATTERNS = {
    "macro, link, mention, table, image, line break, escape": r"[{}\[\]|!\\]",
    "end of a phrase: strong, emphasis, inserted, deleted, superscript, subscript": r"(?<!\s)[*_+^~-](?![0-9A-Za-z])",
    "citation": r"\?\?",
    "mention of the new editor": r"(?<![0-9A-Za-z])@(?=\S)",
    "heading, quote": r"^(?:h[1-6]|bq)\.",
    "list": r"^[*#-]+(?=\s)",
    "emoticon": r"[:;](?=-?[()DPp])|\((?=(?:[yni/x!+?*-]|on|off|\*[rgby]|flag|flagoff)\))",
    "URL": rf"(?i:(?<=[a-z0-9]):(?=//)|\b(?:{LINKED_SCHEMES}):(?=\S)|\bwww\.)",
}
ANY_MARKUP = re.compile("|".join(MARKUP_PATTERNS.values()))
FULLWIDTH_FORMS = str.maketrans({char: chr(ord(char) + 0xFEE0) for char in "!#()*+-.:;?@[\\]^_{|}~"})


def render_jira(incident: WrittenIncident) -> str:
    """Return at most 32,767 characters of Jira wiki markup."""
    return render_ticket(incident, JIRA)


def _format_heading(level: int, words: str) -> str:
    return f"h{level}. {words}"


def _format_plain(words: str, width: int) -> str:
    return neutralize_markup(to_one_line(words, width).strip().replace("`", "'"))


def neutralize_markup(line: str) -> str:
    """Return the line of text, of the same length, without markup."""
    return ANY_MARKUP.sub(lambda match: match.group().translate(FULLWIDTH_FORMS), line)


def _format_code(words: str, width: int = 160) -> str:
    """Format monospaced text. Jira renders markup inside it, too."""
    words = neutralize_markup(to_one_line(words, width).strip())
    return f"{{{{{words}}}}}" if words else ""


def _format_fence(lines: Sequence[str]) -> str:
    content = "\n".join(FENCE_END.sub("｛", show_controls(line)) for line in lines)
    return f"{{noformat}}\n{content}\n{{noformat}}"


def _format_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    first = "||" + "||".join(head) + "||"
    return "\n".join((first, *("|" + "|".join(clip(cell, 1000) or " " for cell in row) + "|" for row in body)))


def _format_items(sentences: Iterable[str]) -> str:
    return "\n".join(f"* {sentence}" for sentence in sentences)


def _format_steps(sentences: Iterable[str]) -> str:
    return "\n".join(f"# {sentence}" for sentence in sentences)


def _format_fold(title: str, blocks: Sequence[str]) -> str:
    """Return the blocks under a heading: Jira's notation cannot fold."""
    return "\n\n".join((_format_heading(3, title), *blocks))


JIRA = Dialect(
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
