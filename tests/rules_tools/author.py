"""A pack as an author has it on disk, and the program as the author calls it."""

from pathlib import Path

from typer.testing import CliRunner, Result

PACK = """\
pack: acme
version: 1.0.0
rules:
  - id: acme-link-lost
    cause: acme.link-lost
    role: cause
    severity: error
    match: 'acme fabric: link (?P<link>\\d+) of (?P<card>\\w+) lost'
    title: "{node}: link {link} of {card} is lost"
    summary: "The fabric agent of {node} lost link {link}."
    remediation: [Reseat the cable.]
    references: ["https://acme.example/fabric"]
    tests:
      - fires: {node-1/dmesg.txt: "[  10.5] acme fabric: link 3 of af0 lost"}
        captures: {link: "3", card: af0}
      - silent: {node-1/dmesg.txt: "[  10.5] acme fabric: link 3 of af0 found"}
"""


def write_pack(folder: Path, text: str = PACK, name: str = "acme.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def call(*arguments: object) -> Result:
    """`tf-postmortem rules …` in this process."""
    from analyzer.cli import rules, rules_explain, rules_import, rules_lint, rules_new, rules_test

    command_modules = {command.callback.__module__ for command in rules.group.registered_commands if command.callback}
    for module in (rules_explain, rules_import, rules_lint, rules_new, rules_test):
        if module.__name__ not in command_modules:
            module.add_to(rules.group)
    return CliRunner().invoke(rules.group, [str(argument) for argument in arguments])
