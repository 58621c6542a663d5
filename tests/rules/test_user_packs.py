"""Packs of a user: where they are found, in which order, and that none of them stops the others."""

from __future__ import annotations

import importlib
import json
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_packs import find, load_text, one_rule

from analyzer.cli import analyze as analyze_command
from analyzer.cli._outputs import add_output_options
from analyzer.errors import RuleError
from analyzer.rules.linting.linter import lint_packs
from analyzer.rules.load import load_packs as load
from analyzer.rules.load import raise_problems
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.packs.user_packs import find_user_packs

PACK = "pack: {name}\nrules:\n  - id: {name}-rule\n    match: 'the words of {name}'\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(tmp_path / "work/packs/here.yaml", PACK.format(name="here"))
    write(tmp_path / "home/.config/tf-postmortem/rules/mine.yaml", PACK.format(name="mine"))
    return tmp_path


def look(place: Path) -> list[str]:
    """Names of the user's packs in the order in which they are read."""
    user = find_user_packs(place / "work", {"HOME": str(place / "home")})
    assert not user.problems
    return [pack.name for pack in load(builtin=False, user=user).packs]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tf-postmortem.toml", "rules = ['packs']"),
        ("pyproject.toml", "[tool.tf-postmortem]\nrules = ['packs/here.yaml']"),
    ],
)
def test_the_folders_configuration_comes_after_the_home_folder(name: str, text: str, place: Path) -> None:
    write(place / "work" / name, text)
    assert look(place) == ["mine", "here"]


def test_xdg_config_home_takes_the_place_of_dot_config(place: Path) -> None:
    write(place / "xdg/tf-postmortem/rules/other.yml", PACK.format(name="other"))
    user = find_user_packs(place / "work", {"HOME": str(place / "home"), "XDG_CONFIG_HOME": str(place / "xdg")})
    assert [pack.name for pack in load(builtin=False, user=user).packs] == ["other"]


@pytest.mark.parametrize(
    ("module", "value"),
    [
        ("packs_as_folder", "packs_as_folder"),
        ("packs_as_function", "packs_as_function:give"),
        ("packs_as_list", "packs_as_list:PATHS"),
    ],
)
def test_installed_packages_bring_packs(module: str, value: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = {
        "packs_as_folder": "raise SystemExit",
        "packs_as_list": "PATHS = [__path__[0] + '/theirs.yaml']",
        "packs_as_function": "def give():\n    return __path__[0]",
    }[module]
    write(place / "site" / module / "__init__.py", code)
    write(place / "site" / module / "theirs.yaml", PACK.format(name="theirs"))
    write(place / "site/one-1.0.dist-info/METADATA", "Name: one\nVersion: 1.0\n")
    write(place / "site/one-1.0.dist-info/entry_points.txt", f"[tf_postmortem.rules]\none = {value}\n")
    monkeypatch.syspath_prepend(str(place / "site"))
    importlib.invalidate_caches()
    try:
        assert look(place) == ["theirs", "mine"]
    finally:
        sys.modules.pop(module, None)


@pytest.mark.parametrize("kind", ["zip", "egg"])
def test_packages_are_found_in_all_that_python_looks_into(
    kind: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place / "site/packs_as_folder/__init__.py", "")
    write(place / "site/packs_as_folder/theirs.yaml", PACK.format(name="theirs"))
    entry_points, where = "[tf_postmortem.rules]\none = packs_as_folder\n", place / "one-1.0-py3.egg"
    if kind == "egg":
        write(where / "EGG-INFO/PKG-INFO", "Name: one\nVersion: 1.0\n")
        write(where / "EGG-INFO/entry_points.txt", entry_points)
    else:
        where.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(where, "w") as archive:
            archive.writestr("EGG-INFO/PKG-INFO", "Name: one\nVersion: 1.0\n")
            archive.writestr("EGG-INFO/entry_points.txt", entry_points)
    for path in (where, place / "site"):
        monkeypatch.syspath_prepend(str(path))
    importlib.invalidate_caches()
    assert look(place) == ["theirs", "mine"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rules = 'packs'", "list of texts"),
        ("rules = ['nowhere']", "nowhere does not exist"),
        ("rules = [", "cannot be read"),
        ("rule = []", "unknown key 'rule'"),
        ("disable = [1]", "list of texts"),
    ],
)
def test_a_wrong_configuration_is_told_and_stops_nothing(text: str, complaint: str, place: Path) -> None:
    write(place / "work/tf-postmortem.toml", text)
    user = find_user_packs(place / "work", {"HOME": str(place / "home")})
    assert any(complaint in str(problem) for problem in user.problems), user.problems
    assert [pack.name for pack in load(builtin=False, user=user).packs] == ["mine"]


@pytest.mark.parametrize("value", ["nowhere_to_be_found", "broken_one:give", "json:no_such_thing", "json:dumps"])
def test_a_broken_package_is_told_and_stops_nothing(value: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(place / "site/broken_one.py", "1 / 0")
    write(place / "site/one-1.0.dist-info/METADATA", "Name: one\nVersion: 1.0\n")
    write(place / "site/one-1.0.dist-info/entry_points.txt", f"[tf_postmortem.rules]\none = {value}\n")
    monkeypatch.syspath_prepend(str(place / "site"))
    importlib.invalidate_caches()
    user = find_user_packs(place / "work", {"HOME": str(place / "home")})
    assert len(user.problems) == 1
    assert value in user.problems[0].text
    assert [root.name for root in user.roots] == ["rules"]


FIRST = one_rule(
    "match: 'failed with (?P<code>\\d+)'\ntitle: first {code}\nconfidence: 0.6\ntests: [{fires: failed with 1}]"
)


@pytest.mark.parametrize(
    ("later", "title", "count"),
    [
        ("rules: [{id: r, match: failed, title: second, override: true}]", ["second"], 1),
        ("rules: [{id: s, extends: r, title: 'more {code}'}]", ["First 7", "More 7"], 2),
        ("rules: [{id: r, extends: r, override: true, title: 'same {code}'}]", ["Same 7"], 1),
        ("disable: [r]", [], 0),
        ("disable: ['?']\nrules: [{id: q, match: failed, title: third}]", ["third"], 1),
    ],
)
def test_later_packs_override_extend_and_switch_off(later: str, title: list[str], count: int, tmp_path: Path) -> None:
    packs = load_text(tmp_path, FIRST, f"pack: later\n{later}\n")
    assert not packs.problems
    assert len(packs.rules) == count
    findings = [finding for rule in packs.rules for finding in find(packs, "0 failed with 7", rule)]
    assert sorted(finding.title for finding in findings) == title


def test_what_extends_inherits_all_but_id_and_tests(tmp_path: Path) -> None:
    packs = load_text(tmp_path, FIRST, "pack: later\nrules: [{id: s, extends: r, severity: fatal}]")
    rule = packs.rules["s"]
    assert (rule.confidence, rule.title, rule.severity, rule.pack, rule.tests) == (
        0.6,
        "first {code}",
        "fatal",
        "later",
        (),
    )


@pytest.mark.parametrize(
    ("later", "complaint"),
    [
        ("rules: [{id: r, match: failed}]", "exists already"),
        ("rules: [{id: s, extends: t}]", "not an earlier rule"),
        ("rules: [{id: s, match: other, override: true}]", "overrides no earlier rule"),
        ("disable: [zzz]", "no earlier rule"),
        ("signals: {alpha: {match: other}}", "exists already"),
    ],
)
def test_later_packs_do_nothing_by_accident(later: str, complaint: str, tmp_path: Path) -> None:
    packs = load_text(tmp_path, FIRST, f"pack: later\n{later}\n")
    assert any(complaint in str(problem) for problem in packs.problems), packs.problems
    assert packs.rules["r"].pack == "small"


def test_a_pack_that_is_named_stands_for_the_installed_one(place: Path) -> None:
    copy = write(place / "copy/mine.yaml", PACK.format(name="mine").replace("the words", "other words"))
    user = find_user_packs(place / "work", {"HOME": str(place / "home")})
    packs = load([copy], builtin=False, user=user)
    assert not packs.problems
    assert packs.signals["mine-rule"].match == ("other words of mine",)


def test_a_word_of_another_packs_rule_is_changed_without_new_tests(tmp_path: Path) -> None:
    base = PACK.format(name="theirs") + "    cause: theirs.lease\n    severity: error\n"
    change = "pack: ours\nrules:\n  - {id: theirs-rule, extends: theirs-rule, override: true, remediation: [Ask us.]}\n"
    for number, text in enumerate((base, change)):
        write(tmp_path / f"{number}.yaml", text)
    packs = load([tmp_path], builtin=False)
    assert not packs.problems
    own_files = frozenset({str(tmp_path / "1.yaml")})
    assert not [finding for finding in lint_packs(packs, own_files) if "test" in finding.problem.text]
    write(tmp_path / "1.yaml", change.replace("remediation", "match: other words, remediation"))
    packs = load([tmp_path], builtin=False)
    assert [
        finding for finding in lint_packs(packs, own_files) if "there is no test that fires" in finding.problem.text
    ]


def test_lint_misses_nothing_that_was_switched_off_on_purpose(place: Path) -> None:
    text = (
        PACK.format(name="here")
        + "    explains: [gone-rule, gone-*]\n    confidence: {base: 0.5, raise: {gone-rule: 0.1}}\n"
    )
    write(place / "work/packs/here.yaml", text + "  - id: gone-rule\n    match: what is gone\n")
    write(place / "work/tf-postmortem.toml", "rules = ['packs']\ndisable = ['gone-*']")
    user = find_user_packs(place / "work", {})
    assert "gone-rule" not in load(builtin=False, user=user).rules
    assert not [finding for finding in lint_packs(load(builtin=False, user=user)) if "gone" in finding.problem.text]


def test_a_rule_that_is_switched_off_leaves_what_others_need(tmp_path: Path) -> None:
    packs = load_text(tmp_path, FIRST, "pack: b\nrules: [{id: s, when: r, title: still}]", "pack: c\ndisable: [r]")
    assert not packs.problems
    assert [finding.title for finding in find(packs, "0 failed with 7", "s")] == ["still"]


def test_broken_packs_of_the_configuration_become_notes_and_named_ones_an_error(place: Path) -> None:
    broken = write(
        place / "work/packs/broken.yaml", "pack: broken\nrules: [{id: a, match: '('}, {id: b, match: good}]\n"
    )
    write(place / "work/tf-postmortem.toml", "rules = ['packs']\ndisable = ['mine-*']")
    user = find_user_packs(place / "work", {"HOME": str(place / "home")})
    cache = place / "cache"
    for _ in range(2):  # the second time from the cache
        packs = load_packs((), cache, user)
        assert [problem for problem in packs.problems if "broken.yaml" in problem.file]
        assert {"b", "here-rule"} <= set(packs.rules)
        assert not {"a", "mine-rule"} & set(packs.rules)
        with pytest.raises(RuleError, match=r"broken\.yaml:2:"):
            raise_problems(load_packs((broken,), cache), [broken])


def test_a_damaged_cache_is_made_anew(place: Path) -> None:
    cache = place / "cache"
    rules = set(load_packs((), cache).rules)
    [kept] = cache.glob("*.packs")
    kept.write_bytes(kept.read_bytes()[:-20])
    assert set(load_packs((), cache).rules) == rules


def test_the_report_names_the_pack_of_each_rule(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import typer

    write(place / "work/tf-postmortem.toml", "rules = ['packs', 'absent']")
    write(place / "work/worker.log", "2026-03-01 10:00:00.000000: E tensorflow/core/x.cc:1] the words of here\n")
    monkeypatch.chdir(place / "work")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "none"))
    app = typer.Typer()
    app.callback()(lambda: None)
    analyze_command.add_to(app)
    result = CliRunner().invoke(
        add_output_options(typer.main.get_command(app)),
        ["analyze", "worker.log", "--config", "tf-postmortem.toml", "--json", "-", "-q"],
    )
    assert result.exit_code == 0, result.output
    incident = json.loads(result.stdout)
    assert [finding["pack"] for finding in incident["findings"] if finding["rule"] == "here-rule"] == ["here"]
    assert "here" in {pack["name"] for pack in incident["tool"]["rule_packs"]}
    assert any("absent" in note for note in incident["notes"])


def test_hidden_files_of_a_repository_are_no_packs(place: Path) -> None:
    write(place / "work/packs/.pre-commit-config.yaml", "repos: []")
    write(place / "work/packs/.github/workflows/ci.yml", "on: push")
    packs = load([place / "work/packs"], builtin=False)
    assert not packs.problems
    assert set(packs.rules) == {"here-rule"}
