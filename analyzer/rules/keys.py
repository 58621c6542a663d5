"""Every key of the rule language, once: what the loader accepts and what the JSON Schema says both come from here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.model import Kind, Role, Severity

Schema = Mapping[str, object]

FEEDS = frozenset(
    {
        "progress",
        "sync",
        "identity",
        "version",
        "finished",
        "succeeded",
        "exit",
        "accuses",
        "connected",
        "reached",
        "started",
        "traceback",
        "fatal",
        "member",
        "error",
        "clock",
        "zone",
        "job",
        "placement",
        "ran_on",
        "stack",
    }
)
SCOPES = ("same_node", "other_node", "any_node", "accused_node")
MOST_LINES = 2000  # of a block

TEXT: Schema = {"type": ["string", "number", "boolean"]}
TEXTS: Schema = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
FLAG: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
SPAN: Schema = {"type": ["string", "number"], "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)?\s*$"}
CONDITION: Schema = {"$ref": "#/$defs/condition"}
CONDITIONS_LIST: Schema = {"type": "array", "items": CONDITION, "minItems": 1}
SHIFTS: Schema = {"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}}


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a mapping: its name, what may stand behind it, and what it means in a sentence."""

    name: str
    schema: Schema
    means: str
    required: bool = False


def one_of(words: Sequence[str]) -> Schema:
    return {"enum": sorted(words)}


def some_of(words: Sequence[str]) -> Schema:
    return {"anyOf": [one_of(words), {"type": "array", "items": one_of(words)}]}


def names_of(keys: Sequence[Key]) -> frozenset[str]:
    return frozenset(key.name for key in keys)


PACK = (
    Key("pack", TEXT, "The pack's name.", required=True),
    Key("version", TEXT, "The pack's version."),
    Key("description", TEXT, "What the pack is for."),
    Key("license", TEXT, "Under which terms it may be used."),
    Key("requires", TEXT, "The version of tf-postmortem that it needs."),
    Key("disable", TEXTS, "Ids or globs of rules of earlier packs that are switched off."),
    Key(
        "patterns",
        {"type": "object", "additionalProperties": TEXT},
        "Parts of patterns by name; %{name} in a pattern of the pack stands for one.",
    ),
    Key(
        "signals",
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/signal"}},
        "Lines that become typed events, by name.",
    ),
    Key("rules", {"type": "array", "items": {"$ref": "#/$defs/rule"}}, "Conditions over events that become findings."),
)

BLOCK = (
    Key("lines", {"type": "integer", "minimum": 1, "maximum": MOST_LINES}, "At most so many lines; default 40."),
    Key("until", TEXT, "The block ends behind the line that this pattern finds."),
    Key("prefixed", FLAG, "Also lines that have a prefix of their own (kernel reports)."),
)

LOOKUP = (
    Key("table", TEXT, "A table in tables/, by its file's name.", required=True),
    Key("key", TEXT, "The capture whose value chooses the row.", required=True),
)

SIGNAL = (
    Key(
        "match",
        {
            "anyOf": [
                TEXTS,
                {"type": "object", "properties": {"any": TEXTS}, "required": ["any"], "additionalProperties": False},
            ]
        },
        "One pattern, a list, or {any: [...]}; one of them must be found in the line. Named groups are captures.",
    ),
    Key("not_match", TEXTS, "Patterns that must not be found in the line or its block."),
    Key("contains", TEXTS, "Texts that must all stand in the line or its block, letter for letter."),
    Key("source", some_of([*(kind.value for kind in Kind), "any"]), "Which kinds of source are searched; default any."),
    Key(
        "severity",
        TEXT,
        "info, warning, error or fatal; default: what the line's prefix says. In a rule a template may stand here.",
    ),
    Key("block", {"$ref": "#/$defs/block"}, "Continuation lines that belong to the event."),
    Key("also", TEXTS, "Patterns searched in the line and its block for more captures."),
    Key(
        "set",
        {"type": "object", "additionalProperties": TEXT},
        'Captures with fixed values, or made from others: {what: "{comm}"}.',
    ),
    Key(
        "bits",
        {"type": "object", "additionalProperties": {"type": "string", "pattern": r"^\w+\[\d+(:\d+)?\]$"}},
        'Captures that are bits of a hexadecimal one, as numbers: {subcode: "word[25:20]"}.',
    ),
    Key(
        "lookup",
        {"anyOf": [{"$ref": "#/$defs/lookup"}, {"type": "array", "items": {"$ref": "#/$defs/lookup"}}]},
        "Adds the row of a table as captures; of several the first that has a column wins.",
    ),
    Key("feeds", some_of(sorted(FEEDS)), "What the analyzer may learn from the event."),
    Key("noise", FLAG, "A line known to be harmless."),
    Key("description", TEXT, "What the line means, for people."),
    Key("override", FLAG, "Takes the place of an earlier one of the same name."),
)

CONFIDENCE = (
    Key(
        "base",
        {"type": "number", "minimum": 0, "maximum": 1},
        "The confidence when nothing else is known.",
        required=True,
    ),
    Key("raise", SHIFTS, "Signals or rules whose presence on the node adds so much."),
    Key("lower", SHIFTS, "Signals or rules whose presence on the node takes away so much."),
)

REPLAY = (
    Key("fault", TEXT, "The fault that shows the same failure, of templates/replay/faults.yaml."),
    Key("role", TEXT, "The job on which it is put: worker, ps, chief."),
)

RULE_ONLY = (
    Key("id", TEXT, "The rule's name, unique over all packs.", required=True),
    Key("extends", TEXT, "An earlier rule whose keys hold here too, but for id, tests and those written here."),
    Key("cause", TEXT, "A cause id of causes.yaml or <pack>.<id>; may be a template."),
    Key("role", one_of([role.value for role in Role]), "cause, symptom or context; default symptom."),
    Key(
        "confidence",
        {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"$ref": "#/$defs/confidence"}]},
        "How specific the words are, from 0 to 1; default 0.7.",
    ),
    Key("when", CONDITION, "The condition; default: the rule's own match."),
    Key(
        "by",
        {
            "anyOf": [
                TEXT,
                {"type": "array", "items": {"anyOf": [TEXT, {"type": "object", "additionalProperties": TEXTS}]}},
            ]
        },
        "One finding for each value of these captures; {pid: [pid, tid]} where signals name one thing differently.",
    ),
    Key(
        "explains",
        {
            "anyOf": [
                TEXTS,
                {
                    "type": "array",
                    "items": {
                        "anyOf": [TEXT, {"type": "object", "additionalProperties": {"type": ["string", "number"]}}]
                    },
                },
            ]
        },
        "Ids, globs or cause ids of what follows from this; {glob: 3m} holds so long around it.",
    ),
    Key("explained_by", TEXTS, "Ids, globs or cause ids of rules from which this follows."),
    Key("silences", TEXTS, "More general rules that are dropped when they stand on the same lines."),
    Key("title", TEXT, "One line; a template."),
    Key("summary", TEXT, "A sentence or two; a template."),
    Key("why", TEXTS, "Reasons that the report gives for believing it; templates."),
    Key("remediation", TEXTS, "What to do; templates."),
    Key("references", TEXTS, "Where to read more."),
    Key("replay", {"$ref": "#/$defs/replay"}, "How a replay shows the same failure."),
    Key(
        "tests",
        {"type": "array", "items": {"type": "object"}},
        "Small bundles on which the rule fires or stays silent.",
    ),
)

RULE = (*RULE_ONLY, *SIGNAL)

_WHERE: Schema = {"type": "object", "additionalProperties": TEXTS}
_UNLESS: Schema = {
    "anyOf": [
        CONDITION,
        {
            "type": "object",
            "properties": {"before": CONDITION, "within": SPAN},
            "required": ["before"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {"after": CONDITION, "within": SPAN},
            "required": ["after"],
            "additionalProperties": False,
        },
    ]
}

# Keys that any condition may carry beside its own.
EVERYWHERE = (
    Key("unless", _UNLESS, "Void where this holds too: anywhere, {before: ...} or {after: ...} it."),
    Key("within", SPAN, "A time span: 30s, 2m, 1h."),
    Key("optional", FLAG, "In a sequence: the step may be missing."),
)

# Head of a condition → the head itself, then the keys that belong to it.
CONDITIONS: Mapping[str, tuple[Key, ...]] = {
    "signal": (
        Key("signal", TEXT, "The node has an event of this signal."),
        Key("where", _WHERE, "Tests on its captures."),
        Key("on", one_of(SCOPES), "On which nodes; default same_node."),
    ),
    "all": (Key("all", CONDITIONS_LIST, "All hold."),),
    "any": (Key("any", CONDITIONS_LIST, "One holds."),),
    "not": (Key("not", CONDITION, "It does not hold."),),
    "count": (
        Key("count", CONDITION, "So many events."),
        Key("at_least", WHOLE, "Default 1."),
        Key("at_most", WHOLE, "No limit by default."),
    ),
    "distinct": (
        Key("distinct", TEXT, "So many different values of this capture."),
        Key("of", CONDITION, "The events whose captures are counted.", required=True),
        Key("at_least", WHOLE, "Default 2."),
    ),
    "sequence": (
        Key("sequence", CONDITIONS_LIST, "In this order, in corrected time."),
        Key("known", FLAG, "Only where times, clocks and zones certainly give this order."),
    ),
    "absent": (Key("absent", CONDITION, "The node has sources that could say it, and none does."),),
    "first": (Key("first", CONDITION, "This node has it first, beyond the clocks' error."),),
    "share": (
        Key("share", CONDITION, "On so many nodes."),
        Key("exactly", WHOLE, "Exactly so many nodes."),
        Key(
            "at_least",
            {"type": ["string", "number"], "pattern": r"^\s*\d+(\.\d+)?\s*%?\s*$"},
            "At least this share, such as 90%.",
        ),
    ),
}

SEVERITIES = {severity.word: severity for severity in Severity}
