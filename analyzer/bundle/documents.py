"""Recognize documents that quote lines of logs as examples, and sources, whose messages somebody may print: neither is
evidence of anything that happened.

A ticket or a note in Markdown may quote the logs of its incident, so only what no ticket has shows a document: links to
files beside it, the title of a list of changes, and the keys of a rule pack.
"""

from __future__ import annotations

import re

SOURCE_HEAD_BYTES = 16 << 10  # of a file that is tested for a source
MIN_FILE_LINKS = 3
MIN_BLAMES = 3  # of a catalogue of causes
_is_titled = re.compile(rb"\s{0,8}# \S").match
_is_list_of_changes = re.compile(rb"\s{0,8}# (?:change ?log|changes|release notes|release history)\s*\n", re.I).match
_find_file_links = re.compile(
    rb"\]\((?!https?:|mailto:|#)[\w./-]{1,200}(?:\.md|\.html|\.rst|/)(?:#[\w-]{0,100})?\)"
).findall
_find_blames = re.compile(rb"\bblame: ?(?:user|cluster|either)\b").findall
_find_rule_pack = re.compile(rb"^(?:pack: ?[\w.-]{1,80}\nversion:|version: ?[\w.-]{1,80}\npack:)", re.M).search

_PACKED = r"(?:\.(?:gz|zst|xz|bz2|lz4))?$"
# Endings of names, and how a line of such a source begins.
_LANGUAGES = tuple(
    (re.compile(rf"\.(?:{endings}){_PACKED}", re.I).search, re.compile(rb"^(?:%b)" % line, re.M).search)
    for endings, line in (
        (
            "pyi?|pyx",
            rb"import \w|from [\w.]{1,200} import\b|(?:async )?def \w{1,200}\(|class \w{1,200}[(:]"
            rb"|[rR]?(?:\"\"\"|''')|#!",
        ),
        (
            "c|cc|cpp|cxx|cu|cuh|h|hh|hpp|proto",
            rb"#[ \t]{0,8}(?:include|define|ifndef|ifdef|pragma)\b"
            rb"|(?:namespace|static|struct|class|template|extern|syntax)\b|/[/*]",
        ),
        ("go|java|kt|scala", rb"(?:package|import) [\w.\"(]|/[/*]"),
        ("rs", rb"(?:pub|use|fn|mod|struct|impl|extern)\b|//|#!\["),
        ("[jt]sx?|[cm]js", rb"(?:import|export|const|let|var|function|class)\b|['\"]use strict|/[/*]"),
        ("rb|pl|lua|jl|r", rb"#!|(?:require|use|local|using|library)\b"),
    )
)
_is_script_name = re.compile(rf"\.(?:[bzk]?a?sh|sbatch|slurm|pbs){_PACKED}", re.I).search
_is_script_text = re.compile(rb"\s{0,80}#!|#(?:SBATCH|PBS|BSUB) ").match
_is_yaml_name = re.compile(rf"\.ya?ml{_PACKED}", re.I).search
_is_commented = re.compile(rb"(?:---)?\s{0,80}# ").match
_find_record = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b|^\s{0,80}apiVersion:", re.M).search


def describe_source_code(head: bytes, path: str) -> str | None:
    """Return why the lines of a file are no log: it is the source of a program. None for all other files.

    `head`: its first SOURCE_HEAD_BYTES bytes. A name alone does not make a source: a log may be called anything.
    """
    if any(has_name(path) and begins_line(head) for has_name, begins_line in _LANGUAGES):
        return "source code: its messages were not necessarily printed"
    return None


def describe_settings_text(head: bytes, path: str) -> str | None:
    """Return why the lines of a file are no log: it is a script or a configuration, which may state settings.

    None for all other files. Programs write YAML without comments, and records have times.
    """
    if _is_script_name(path) and _is_script_text(head):
        return "a script: its messages were not necessarily printed"
    if _is_yaml_name(path) and _is_commented(head) and not _find_record(head):
        return "a configuration or a table: it holds no log"
    return None


def describe_document(head: bytes) -> str | None:
    """Return why a file is not read: it is a document. None for all other files. `head`: its first bytes."""
    if _find_rule_pack(head) or len(_find_blames(head)) >= MIN_BLAMES:
        return "rules, or a text about them: the lines of logs in it are examples"
    if _is_list_of_changes(head) or (_is_titled(head) and len(_find_file_links(head)) >= MIN_FILE_LINKS):
        return "a document of a project: the lines of logs in it are examples"
    return None
