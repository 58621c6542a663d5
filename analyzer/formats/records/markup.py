"""Convert web pages and tickets that quote logs, as HTML or as XML with HTML in it, into plain lines with fences.

    <h3>gx-7</h3><pre>step 1 loss 0.5                        becomes   gx-7, ```, step 1 loss 0.5
    step 2 in &lt;module&gt;</pre>                            becomes   step 2 in <module>, ```
    <comment>&lt;p&gt;gx-7:&lt;/p&gt;&lt;pre&gt;step 1       becomes   gx-7:, ```, step 1
    <p class=MsoNormal><span>step 1</span></p>             becomes   step 1

The fences are those of Markdown, so that `fenced_sections.py` finds the machines of the lines between them. A line
break on the page (a comma above) becomes a carriage return.
"""

from __future__ import annotations

import re

from analyzer.formats.records.line_by_line import LineByLine
from analyzer.untrusted.references import unescape_html

_is_document = re.compile(rb"\s{0,100}<(?:\?xml|!DOCTYPE html|html|rss)\b", re.I).match
_find_quotation = re.compile(rb"(?P<escaped>&lt;)?(?:<|(?<=&lt;))pre\b", re.I).search
_is_paragraph = re.compile(rb"\s{0,40}<p\b[^<>]{0,400}>.{0,4000}</p>", re.I).match
_has_attribute = re.compile(rb"<[A-Za-z][\w:.-]{0,60} [^<>?]{0,400}=").search
_is_entity = re.compile(rb"&(?:lt|gt|quot|amp|apos|#\d{1,5});").search
_replace_pre = re.compile(r"<\s{0,4}/?\s{0,4}pre\b[^<>]{0,400}>", re.I).sub
_replace_line_end = re.compile(r"<\s{0,4}(?:br\b[^<>]{0,100}|/\s{0,4}(?:p|div|li|tr|h[1-6])\s{0,4})>", re.I).sub
_TAG = "\0"  # the place of a removed tag
_replace_inner_tags = re.compile(r"([^\s\0])\0{1,200}(?=[^\s\0])").sub
_replace_tag = re.compile(r"</?[A-Za-z!?][^<>]{0,2000}>").sub

MIN_MARKED_SHARE = 0.5  # of the lines, each of which is a paragraph


def find_markup(head: bytes) -> bool | None:
    """Return whether the tags of the quotations are escaped, as in XML; None if the head is not a page with quotations.

    A word processor saves each line as a paragraph. A ticket may have bare text between tags without attributes.
    """
    if not _is_document(head):
        return None
    if quotation := _find_quotation(head):
        return quotation["escaped"] is not None
    lines = [line for line in head.split(b"\n") if line.strip()]
    are_paragraphs = sum(map(bool, map(_is_paragraph, lines))) > MIN_MARKED_SHARE * len(lines)
    are_bare = not any(map(_has_attribute, lines)) and any(map(_is_entity, lines))
    return False if are_paragraphs or are_bare else None


class MarkupConverter(LineByLine):
    """A `LineConverter` of pages and tickets."""

    name = "markup"

    def __init__(self, is_escaped: bool) -> None:
        self._is_escaped = is_escaped

    def convert_line(self, line: bytes) -> bytes:
        if not (b"<" in line or b"&" in line):
            return line
        text = line.decode("utf-8", "surrogateescape")
        text = unescape_html(text) if self._is_escaped else text
        text = _replace_tag(_TAG, _replace_line_end("\r", _replace_pre("\r```\r", text)))
        text = _replace_inner_tags(r"\1 ", text).replace(_TAG, "")  # indentation stays
        return unescape_html(text).replace("\n", "\r").strip("\r").encode("utf-8", "surrogateescape")
