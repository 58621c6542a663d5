"""Write the table of what the packs know, and the list of what they do not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tf_strings.components import COMPONENTS
from tf_strings.messages import HOLE, Message

MAX_UNKNOWN = 30  # that are listed of a component
MAX_SHOWN_CHARS = 200
_INTRODUCTION = """\
# What the packs know of TensorFlow's messages

`make coverage` writes this file. It reads the string literals of TensorFlow's libraries (x86-64), finds the source file
of each by the code that uses it, joins the literals of one message, and fills the places for values. A message is known
if a signal of the packs that means something (a rule uses it, it feeds something, or it is known noise) matches text of
the message.

Counted are texts of at least three words that speak of a failure. The count is a measure, not a goal:

* Many messages refuse arguments, or report defects of TensorFlow itself. They appear in a traceback, and rules about
  its exception explain them.
* Some are no whole messages: compilers move parts, so that a literal can lack its neighbour or have a wrong one.
* Whether a literal is logged as an error, as a warning or not at all is not known. Conditions of `CHECK` are left out.
* Functions whose source file cannot be told are left out.
"""


def write_table(
    messages: Mapping[str, Mapping[str, Collection[Message]]], known: Mapping[Message, str]
) -> Iterator[str]:
    """Yield the lines of the file.

    messages: version → component → its failure messages. The newest version is last.
    """
    yield _INTRODUCTION
    yield "| component | " + " | ".join(messages) + " |"
    yield "|---|" + "--:|" * len(messages)
    for component in COMPONENTS:
        cells = [_share(by_component.get(component, ()), known) for by_component in messages.values()]
        yield f"| {component} | " + " | ".join(cells) + " |"
    totals = [
        _share([message for group in by_component.values() for message in group], known)
        for by_component in messages.values()
    ]
    yield "| all | " + " | ".join(totals) + " |"
    newest = list(messages)[-1]
    yield f"\nEach cell: known messages of all, and the share.\n\n## Not known, of {newest}\n"
    yield f"At most {MAX_UNKNOWN} of each component; `{HOLE}` is a value. Those that all versions have come first."
    everywhere = [
        {message.text for group in by_component.values() for message in group} for by_component in messages.values()
    ]
    for component in COMPONENTS:
        unknown = [message for message in messages[newest].get(component, ()) if message not in known]
        unknown.sort(key=lambda message: (-sum(message.text in texts for texts in everywhere), message))
        yield from _list_unknown(component, unknown)


def write_wordings(wordings: Mapping[str, int], reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the table of causes. `wordings`: cause → number; `reasons`: why a cause has few."""
    yield "\n## Wordings of each cause\n"
    yield "How many independent wordings the packs have for each cause: patterns that rest on the same text count once."
    yield "Settings, statuses, core dumps and several logs together prove causes, too, and have no wording."
    yield "\n| cause | wordings | why so few |\n|---|--:|---|"
    for cause, number in sorted(wordings.items(), key=lambda item: (item[1], item[0])):
        yield f"| `{cause}` | {number} | {reasons.get(cause, '')} |"


def _share(messages: Collection[Message], known: Mapping[Message, str]) -> str:
    if not messages:
        return "–"
    number = sum(message in known for message in messages)
    return f"{number} / {len(messages)} ({number / len(messages):.0%})"


def _list_unknown(component: str, unknown: Sequence[Message]) -> Iterator[str]:
    yield f"\n### {component}\n"
    for message in unknown[:MAX_UNKNOWN]:
        text = " ".join(message.text.split()).replace("`", "'")
        shown = text if len(text) <= MAX_SHOWN_CHARS else text[:MAX_SHOWN_CHARS] + " [cut]"
        yield f"* `{shown}` ({message.file.rpartition('/')[2]})"
    if len(unknown) > MAX_UNKNOWN:
        yield f"* and {len(unknown) - MAX_UNKNOWN} more"
