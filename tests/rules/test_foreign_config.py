"""A configuration that may have come with the incident has no say in the verdict; what any other changes is told."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from builtin_rules import builtin_packs
from click.testing import CliRunner

from analyzer import analyze
from analyzer.bundle import parse_input
from analyzer.cli import compare as compare_command
from analyzer.cli import inspect as inspect_command
from analyzer.cli import rules, rules_explain, rules_new
from analyzer.cli import show as show_command
from analyzer.cli import timeline as timeline_command
from analyzer.cli._outputs import add_output_options
from analyzer.cli.analyze import add_to
from analyzer.errors import UsageError
from analyzer.rules.packs.user_packs import find_user_packs

LOG = "2026-03-01 10:00:00.000000: E tensorflow/core/x.cc:1] Aborting RingReduce with UNAVAILABLE\n"
CONFIG = 'disable = ["host-oom-*"]\nrules = ["theirs.yaml"]\n'
PACK = """\
pack: theirs
rules:
  - {id: theirs-rule, role: cause, cause: theirs.own, severity: fatal, confidence: 0.9, match: Aborting RingReduce}
  - {id: cgroup-oom-kill, extends: cgroup-oom-kill, override: true, title: nothing to see}
"""


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patched.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    """An unpacked incident that brought a configuration, and the same packed, without one."""
    folder = tmp_path / "incident"
    for place in (folder, folder / "node-1"):
        place.mkdir()
        (place / "worker.log").write_text(LOG)
    (folder / "tf-postmortem.toml").write_text(CONFIG)
    (folder / "theirs.yaml").write_text(PACK)
    for name in ("packed.tar", "packed.tar.gz"):
        with tarfile.open(folder / name, "w:gz" if name.endswith("gz") else "w") as archive:
            archive.add(folder / "node-1", "node-1")
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/worker.log").write_text(LOG)
    (tmp_path / "back").symlink_to(folder)
    return folder


@pytest.mark.parametrize(
    ("inputs", "read"),
    [
        (["."], False),
        ([".."], False),
        (["../incident"], False),
        (["../back"], False),
        (["file://{}"], False),
        (["worker.log"], False),
        (["node-1"], False),
        (["node-1/worker.log"], False),
        (["link"], False),
        (["packed.tar.gz", "node-1"], False),
        (["packed.tar.gz"], True),
        (["packed.tar"], True),
        (["file://{}/packed.tar"], True),
        (["../elsewhere"], True),
        (["../elsewhere/worker.log"], True),
        ([], True),
        (["absent"], False),
        (["\0"], True),
    ],
)
def test_it_is_read_only_where_it_cannot_have_come_with_the_input(
    inputs: list[str], read: bool, incident: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(incident)
    user = find_user_packs(inputs=[parse_input(text.format(incident)) for text in inputs])
    assert (user.unread_config is None) is read
    assert bool(user.roots) is bool(user.disable) is read
    assert [str(problem) for problem in user.problems if "--config tf-postmortem.toml" in str(problem)] != [] or read


def test_it_is_not_read_from_a_folder_below_the_input(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (incident / "node-1/tf-postmortem.toml").write_text('disable = ["*"]')
    monkeypatch.chdir(incident / "node-1")
    assert find_user_packs(inputs=[incident]).unread_config
    assert find_user_packs(inputs=[Path("..")]).unread_config
    assert not find_user_packs(inputs=[incident / "packed.tar"]).unread_config


def test_a_project_file_counts_only_with_our_table(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    Path("tf-postmortem.toml").unlink()
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_user_packs(inputs=[Path()]).unread_config is None
    Path("pyproject.toml").write_text("[tool.tf-postmortem]\ndisable = ['*']\n")
    assert find_user_packs(inputs=[Path()]).unread_config == Path("pyproject.toml")
    assert find_user_packs(inputs=[Path()], config=Path("pyproject.toml")).disable


def run(*arguments: str) -> tuple[int, str, str]:
    app = typer.Typer()
    app.callback()(lambda: None)
    add_to(app)
    for command in (compare_command, inspect_command, show_command, timeline_command, rules, rules_explain, rules_new):
        command.add_to(app)
    result = CliRunner().invoke(add_output_options(typer.main.get_command(app)), list(arguments))
    if isinstance(result.exception, UsageError):
        return 2, result.stdout, f"{result.stderr}{result.exception.message}\n{result.exception.hint}"
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def judged(*arguments: str) -> dict[str, Any]:
    code, out, _ = run("analyze", *arguments, "-q", "--json", "-")
    assert code == 0
    report: dict[str, Any] = json.loads(out)
    return report


def test_the_verdict_is_the_same_as_without_it(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    report = judged(".")
    assert "theirs-rule" not in {finding["rule"] for finding in report["findings"]}
    assert report["tool"]["rule_changes"] == []
    assert [note for note in report["notes"] if note.startswith("tf-postmortem.toml:1:1: not read")]
    rules = {finding.rule for finding in analyze(".", config="tf-postmortem.toml").findings}
    assert "theirs-rule" in rules - {finding.rule for finding in analyze(".").findings}


def test_whoever_wants_it_names_it_and_sees_what_it_changes(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    report = judged(".", "--config", "tf-postmortem.toml")
    assert "theirs-rule" in {finding["rule"] for finding in report["findings"]}
    changes = {Path(change["file"]).name: change for change in report["tool"]["rule_changes"]}
    assert "host-oom-kill" in changes["tf-postmortem.toml"]["switched_off"]
    assert changes["theirs.yaml"]["replaced"] == ["cgroup-oom-kill"]
    assert [note for note in report["notes"] if "switches off host-oom-kill" in note]
    assert [note for note in report["notes"] if "theirs.yaml replaces cgroup-oom-kill" in note]
    _, terminal, _ = run("analyze", "packed.tar.gz")
    assert "tf-postmortem.toml switches off host-oom-kill" in " ".join(terminal.split())
    assert "theirs.yaml replaces cgroup-oom-kill" in " ".join(terminal.split())
    monkeypatch.setenv("TF_POSTMORTEM_CONFIG", "tf-postmortem.toml")
    assert "theirs-rule" in {finding["rule"] for finding in judged(".")["findings"]}


@pytest.mark.parametrize(
    "command", [["analyze", "-q"], ["inspect"], ["timeline"], ["compare", "packed.tar"]], ids=lambda words: words[0]
)
def test_each_command_says_that_it_left_it_out(
    command: list[str], incident: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(incident)
    code, out, err = run(*command, "node-1")
    assert (code, "theirs" in out) == (0, False)
    assert "tf-postmortem.toml:1:1: not read" in err
    assert "--config tf-postmortem.toml" in err
    code, _, err = run(*command, "node-1", "--config", os.devnull)
    assert (code, "not read" in err) == (0, False)


def test_rules_explain_leaves_it_out_too(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    code, _, err = run("rules", "explain", ".", "theirs-rule")
    assert (code, "tf-postmortem.toml:1:1: not read" in err, "no rule theirs-rule" in err) == (2, True, True)
    code, out, _ = run("rules", "explain", "worker.log", "theirs-rule", "--config", "tf-postmortem.toml")
    assert (code, "it fired" in out) == (0, True)


def test_a_proposal_is_not_compared_with_its_rules(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    monkeypatch.setattr(rules_new, "_check_proposal", lambda _, user: [str(user.disable)])
    assert "not read: it lies in or beside" in run("rules", "new", "--from-line", "worker.log:1")[2]


def test_it_has_no_say_where_it_came_with_the_good_run(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    rules = {finding.rule for finding in analyze("../elsewhere", baseline="node-1").findings}
    assert rules and "theirs-rule" not in rules
    report = judged("../elsewhere", "--baseline", "node-1")
    assert "theirs-rule" not in {finding["rule"] for finding in report["findings"]}
    assert [note for note in report["notes"] if note.startswith("tf-postmortem.toml:1:1: not read")]


def test_a_report_of_a_good_run_brings_none(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever keeps a report of a good run beside the own configuration wants that configuration."""
    monkeypatch.chdir(incident)
    run("analyze", "packed.tar", "-q", "--json", "good.json")
    report = judged("packed.tar.gz", "--baseline", "good.json")
    assert "theirs-rule" in {finding["rule"] for finding in report["findings"]}


@pytest.mark.parametrize("name", ["tf-postmortem.toml", "pyproject.toml"])
def test_a_fifo_in_its_place_is_not_waited_for(name: str, incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    Path("tf-postmortem.toml").unlink()
    os.mkfifo(name)
    assert find_user_packs(inputs=[Path()]).unread_config is None


def test_words_to_redact_are_never_lost_in_silence(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    Path("tf-postmortem.toml").write_text('redact = ["RingReduce"]')
    for command in (["analyze", "-q"], ["timeline"]):
        code, out, err = run(*command, "node-1", "--redact")
        assert (code, out) == (2, "")
        assert "names words to redact" in err and "--config tf-postmortem.toml reads it" in err
    _, out, _ = run("timeline", "node-1", "--redact", "--config", "tf-postmortem.toml")
    assert "Aborting" in out and "RingReduce" not in out
    _, out, _ = run("timeline", "node-1", "--redact", "--config", os.devnull)
    assert "RingReduce" in out


def test_a_configuration_that_does_not_exist_is_wrong_usage(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(incident)
    code, _, err = run("analyze", "packed.tar", "--config", "nowhere.toml")
    assert (code, "nowhere.toml: no such file" in err) == (2, True)


def test_only_absolute_places_hold_a_users_packs(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (incident / "tf-postmortem/rules").mkdir(parents=True)
    (incident / ".config/tf-postmortem/rules").mkdir(parents=True)
    monkeypatch.chdir(incident)
    for environment in ({"XDG_CONFIG_HOME": "."}, {"HOME": "."}, {"HOME": ""}, {}):
        assert find_user_packs(Path("/"), environment).roots == ()


def test_replaced_causes_and_tables_are_told_too(tmp_path: Path) -> None:
    from analyzer.rules.load import load_packs

    assert builtin_packs().changes == ()
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/xid.yaml").write_text("{}")
    (tmp_path / "causes.yaml").write_text("resource: {resource.host-oom-killed: {blame: user, quiet: true}}\n")
    pack = "pack: p\nsignals: {step_with_loss: {match: nothing, override: true}}\ndisable: [host-oom-kill]\n"
    (tmp_path / "p.yaml").write_text(pack)
    changed = {Path(change.file).name: change for change in load_packs([tmp_path]).changes}
    assert changed["causes.yaml"].replaced == ("cause resource.host-oom-killed",)
    assert changed["xid.yaml"].replaced == ("table xid",)
    assert changed["p.yaml"].replaced == ("signal step_with_loss",)
    assert changed["p.yaml"].disabled == ("host-oom-kill",)
