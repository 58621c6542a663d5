"""Convert a file of another tool's rules to rules of a pack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from analyzer.errors import InputError
from analyzer.redact.secrets import mask_text
from analyzer.rules.importing.cre import import_cre, is_cre
from analyzer.rules.importing.imported_rules import ImportedRule
from analyzer.rules.importing.node_problem_detector import import_node_problem_detector, is_node_problem_detector
from analyzer.rules.parsing.pack import PackReader
from analyzer.rules.parsing.yaml_documents import MAX_BYTES
from analyzer.rules.parsing.yaml_documents import read_yaml as read_pack_yaml
from analyzer.rules.parsing.yaml_values import PackProblem
from analyzer.untrusted.documents import MalformedError, read_json, read_yaml

EXAMPLE_FILE = "test.log"  # beside a CRE rule: a log on which it fires
MAX_EXAMPLE_BYTES = 20_000
FORMATS_ADVICE = "known are preq's CRE rules (YAML) and log monitors of node-problem-detector (JSON)"


def import_file(file: Path, pack: str) -> Iterator[ImportedRule]:
    """Yield the rules of a file. Raises InputError if the file cannot be read, or is of no known format."""
    try:
        text = _read_text(file)
        documents = [read_json(text)] if text.lstrip().startswith("{") else list(read_yaml(text))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}", FORMATS_ADVICE) from None
    except (UnicodeDecodeError, MalformedError) as error:
        raise InputError(f"{file}: {error}", FORMATS_ADVICE) from None
    mappings = [document for document in documents if isinstance(document, Mapping)]
    supported = [document for document in mappings if is_cre(document) or is_node_problem_detector(document)]
    if not supported:
        raise InputError(f"{file} is not a rule file that can be imported", FORMATS_ADVICE)
    for document in supported:
        rules = list((import_cre if is_cre(document) else import_node_problem_detector)(document, pack))
        if len(rules) == 1 and is_cre(document):
            _add_example(rules[0], file.with_name(EXAMPLE_FILE))
        for rule in rules:
            _check_rule(rule, pack)
            yield rule


def _read_text(file: Path) -> str:
    """Return the text of the file, which may have no end. Raises OSError, UnicodeDecodeError, MalformedError."""
    with file.open("rb") as stream:
        text = stream.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise MalformedError(f"a file of more than {MAX_BYTES:,} bytes")
    return text.decode("utf-8")


def write_pack(pack: str, rules: Iterable[ImportedRule]) -> str:
    """Return the YAML text of a pack with the rules that could be carried over."""
    import yaml

    carried = [rule for rule in rules if rule.problem is None]
    document: dict[str, object] = {"pack": pack, "version": "1.0.0"}
    if signals := {name: body for rule in carried for name, body in rule.signals.items()}:
        document["signals"] = signals
    document["rules"] = [rule.body for rule in carried]
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def _add_example(rule: ImportedRule, example: Path) -> None:
    """Add the log beside the rule, on which it fires in its own tool, as a test. Secrets in it are masked.

    A link is not followed: a pack is shared, and a stranger's folder may link to a file of whoever imports it.
    """
    if rule.problem is not None or example.is_symlink() or not example.is_file():
        return
    if example.stat().st_size > MAX_EXAMPLE_BYTES:
        rule.notes.append(f"{example.name} is larger than {MAX_EXAMPLE_BYTES:,} bytes: no test is made of it")
        return
    log = mask_text(example.read_text(encoding="utf-8", errors="replace"))
    rule.body["tests"] = [{"fires": {"node-1/example.log": log}}]


def _check_rule(rule: ImportedRule, pack: str) -> None:
    """Set the rule's problem if the loader of packs refuses it."""
    if rule.problem is not None:
        return
    problems: list[PackProblem] = []
    document = read_pack_yaml(write_pack(pack, [rule]).encode(), rule.source_id, problems)
    if isinstance(document, Mapping):
        PackReader(rule.source_id, problems).read_pack(document)
    if problems:
        rule.problem = f"{problems[0].text}; {problems[0].advice}"
