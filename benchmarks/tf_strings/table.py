"""Write the table of what the packs know, and the list of what they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from tf_strings.components import COMPONENTS
from tf_strings.messages import HOLE, Message
from tf_strings.recognition import Meaning

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
* The places are filled with one of a few texts (a task, a number, a path …). A program never inserts some of these, so
  a few messages count as known that are not, and some as unknown that a pattern with other values would match.
"""


def write_table(
    messages: Mapping[str, Mapping[str, Collection[Message]]], meanings: Mapping[Message, Meaning]
) -> Iterator[str]:
    """Yield the lines of the file.

    messages: version → component → its failure messages. The newest version is last.
    """
    yield _INTRODUCTION
    newest = list(messages)[-1]
    yield "| component | " + " | ".join(messages) + f" | {newest} by meaning |"
    yield "|---|" + "--:|" * (len(messages) + 1)
    for component in COMPONENTS:
        groups = [by_component.get(component, ()) for by_component in messages.values()]
        yield _row(component, groups, meanings)
    everything = [[message for group in by.values() for message in group] for by in messages.values()]
    yield _row("all", everything, meanings)
    yield "\nEach cell: known messages of all, and the share. The last column: messages that are known as a cause, as a"
    yield f"consequence (or context), and as noise.\n\n## Not known, of {newest}\n"
    yield f"At most {MAX_UNKNOWN} of each component; `{HOLE}` is a value. Those that all versions have come first."
    everywhere = [
        {message.text for group in by_component.values() for message in group} for by_component in messages.values()
    ]
    for component in COMPONENTS:
        unknown = [message for message in messages[newest].get(component, ()) if message not in meanings]
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


def _row(name: str, groups: Sequence[Collection[Message]], meanings: Mapping[Message, Meaning]) -> str:
    shares = [_share(group, meanings) for group in groups]
    counts = Counter(meanings[message] for message in groups[-1] if message in meanings)
    return f"| {name} | " + " | ".join([*shares, " + ".join(str(counts[meaning]) for meaning in Meaning)]) + " |"


def _share(messages: Collection[Message], meanings: Mapping[Message, Meaning]) -> str:
    if not messages:
        return "–"
    number = sum(message in meanings for message in messages)
    return f"{number} / {len(messages)} ({number / len(messages):.0%})"


def _list_unknown(component: str, unknown: Sequence[Message]) -> Iterator[str]:
    yield f"\n### {component}\n"
    for message in unknown[:MAX_UNKNOWN]:
        text = " ".join(message.text.split()).replace("`", "'")
        shown = text if len(text) <= MAX_SHOWN_CHARS else text[:MAX_SHOWN_CHARS] + " [cut]"
        yield f"* `{shown}` ({message.file.rpartition('/')[2]})"
    if len(unknown) > MAX_UNKNOWN:
        yield f"* and {len(unknown) - MAX_UNKNOWN} more"
