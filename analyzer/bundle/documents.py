"""Recognize documents that quote lines of logs as examples: they are no evidence of anything that happened.

A ticket or a note in Markdown may quote the logs of its incident, so only what no ticket has shows a document: links to
files beside it, the title of a list of changes, and the keys of a rule pack.
"""

from __future__ import annotations

import re

MIN_FILE_LINKS = 3
MIN_BLAMES = 3  # of a catalogue of causes
_is_titled = re.compile(rb"\s{0,8}# \S").match
_is_list_of_changes = re.compile(rb"\s{0,8}# (?:change ?log|changes|release notes|release history)\s*\n", re.I).match
_find_file_links = re.compile(
    rb"\]\((?!https?:|mailto:|#)[\w./-]{1,200}(?:\.md|\.html|\.rst|/)(?:#[\w-]{0,100})?\)"
).findall
_find_blames = re.compile(rb"\bblame: ?(?:user|cluster|either)\b").findall
_find_rule_pack = re.compile(rb"^(?:pack: ?[\w.-]{1,80}\nversion:|version: ?[\w.-]{1,80}\npack:)", re.M).search


def describe_document(head: bytes) -> str | None:
    """Return why a file is not read: it is a document. None for all other files. `head`: its first bytes."""
    if _find_rule_pack(head) or len(_find_blames(head)) >= MIN_BLAMES:
        return "rules, or a text about them: the lines of logs in it are examples"
    if _is_list_of_changes(head) or (_is_titled(head) and len(_find_file_links(head)) >= MIN_FILE_LINKS):
        return "a document of a project: the lines of logs in it are examples"
    return None
