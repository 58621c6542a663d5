"""Manual pages in the man(7) macros, from Click's commands. No command of its own.

Click's words for a command and its options are those of `--help`, so a page says what the help says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import click

from analyzer.errors import UsageError

WIDTH = 10_000  # no line of an option's help is wrapped: man(1) does that
_CODE = re.compile(r"`([^`]+)`")


def list_commands(program: click.Command, name: str) -> Iterator[click.Context]:
    """Yield a context for the program and for each of its commands, groups before their members."""
    yield from _walk(_make_context(program, name, None))


def find_command(program: click.Command, words: Sequence[str], name: str) -> click.Context:
    """Return the context of a command. Raises UsageError if there is none of this name."""
    context = _make_context(program, name, None)
    for word in words:
        command = context.command
        child = command.commands.get(word) if isinstance(command, click.Group) else None
        if child is None:
            raise UsageError(f"there is no command {' '.join(words)}", f"`{name} --help` lists the commands")
        context = _make_context(child, word, context)
    return context


def format_page(context: click.Context, version: str) -> str:
    """Return the page of one command."""
    return "\n".join(_lines(context, version)) + "\n"


def _walk(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(context.command, click.Group):
        for name, command in sorted(context.command.commands.items()):
            if not command.hidden:
                yield from _walk(_make_context(command, name, context))


def _make_context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH, terminal_width=WIDTH)


def _lines(context: click.Context, version: str) -> Iterator[str]:
    command, name = context.command, context.command_path
    paragraphs = [" ".join(part.split()) for part in (command.help or "").split("\n\n") if part.strip()]
    yield f'.TH "{_escape(name.replace(" ", "-")).upper()}" "1" "" "tf-postmortem {_escape(version)}"'
    yield from (".SH NAME", f"{_escape(name.replace(' ', '-'))} \\- {_escape(_first_sentence(paragraphs))}")
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (".SH SYNOPSIS", f"\\fB{_escape(name)}\\fR {_escape(usage)}")
    if paragraphs:
        yield ".SH DESCRIPTION"
        for paragraph in paragraphs:
            yield from (".PP", _escape(paragraph))
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for child_name, child in sorted(command.commands.items()):
            if not child.hidden:
                yield from _item(f"{name} {child_name}", child.get_short_help_str(WIDTH))
    yield from _parameters(context)
    if command.epilog:
        yield from _epilog(command.epilog)


def _parameters(context: click.Context) -> Iterator[str]:
    """Yield the arguments, and the options in the groups of the help."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in context.command.get_params(context):
        if getattr(parameter, "hidden", False):
            continue
        if isinstance(parameter, click.Option):
            record = parameter.get_help_record(context)
            title = getattr(parameter, "rich_help_panel", None) or "Options"
            if record:
                groups.setdefault(title, []).append(record)
        elif words := getattr(parameter, "help", None):
            groups.setdefault("Arguments", []).append((parameter.make_metavar(context), words))
    for title in sorted(groups, key=lambda title: (title != "Arguments", title == "Options")):
        yield f".SH {_escape(title).upper()}"
        for names, words in groups[title]:
            yield from _item(names, words)


def _item(names: str, words: str) -> Iterator[str]:
    yield from (".TP", f"\\fB{_escape(names)}\\fR", _escape(" ".join(words.split())))


def _epilog(text: str) -> Iterator[str]:
    """Yield the examples: indented lines are shown as they are."""
    for part in text.split("\n\n"):
        if part.startswith("  "):
            yield from (".PP", ".nf", ".RS", *map(_escape, part.strip("\n").splitlines()), ".RE", ".fi")
        elif part.strip().endswith(":"):
            yield f".SH {_escape(part.strip().rstrip(':')).upper()}"
        else:
            yield from (".PP", _escape(" ".join(part.split())))


def _first_sentence(paragraphs: Sequence[str]) -> str:
    return paragraphs[0].partition(". ")[0].rstrip(".") if paragraphs else ""


def _escape(text: str) -> str:
    """Return the text without requests of roff: a backslash, and a dot or an apostrophe at the start of a line. All
    characters are ASCII, because the encoding of a page is not known to every man(1).
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = _CODE.sub(r"\\fB\1\\fR", text)
    text = re.sub(r"[^\x00-\x7f]", lambda match: f"\\[u{ord(match.group()):04X}]", text)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)
