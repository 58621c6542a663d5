"""`rules lint`, `test`, `list` and `show` look at the packs that `analyze` would use in this folder."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import call_for_text

RULE = """\
pack: {name}
version: 1.0.0
rules:
  - id: {name}-broker-fenced
    severity: error
    match: '{name} broker (?P<broker>\\w+) was fenced'
    title: "{{node}}: broker {{broker}} was fenced"
    tests:
      - fires: {{node-1/worker.log: "{name} broker b7 was fenced"}}
      - silent: {{node-1/worker.log: "{name} broker b7 was found"}}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A home folder with one pack and a work folder with another, which its configuration names."""
    for file, name in (("home/.config/tf-postmortem/rules/mine.yaml", "mine"), ("work/packs/here.yaml", "here")):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(RULE.format(name=name))
    (tmp_path / "work/tf-postmortem.toml").write_text("rules = ['packs']\ndisable = ['nccl-*']\n")
    return tmp_path


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all: what is compiled is known by its content."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(place / "home")}
    environment.pop("XDG_CONFIG_HOME", None)
    return call_for_text("rules", *arguments, cwd=place / "work", environment=environment)


def test_the_commands_know_the_users_packs(place: Path) -> None:
    listed = run(place, "list").stdout
    assert "mine-broker-fenced" in listed
    assert "here-broker-fenced" in listed
    assert "\nnccl-" not in listed
    assert "pack here" in run(place, "show", "here-broker-fenced").stdout
    tested = run(place, "test", "--only", "broker-fenced")
    assert (tested.returncode, "2 rules, 4 tests: 4 passed" in tested.stdout) == (0, True), tested


def test_lint_reads_them_too_and_a_named_one_once(place: Path) -> None:
    config = place / "work/tf-postmortem.toml"
    config.write_text(config.read_text() + "rulez = []\n")
    own_pack = place / "home/.config/tf-postmortem/rules/mine.yaml"
    own_pack.write_text(own_pack.read_text().replace("{broker}", "{borker}"))
    linted = run(place, "lint", "-q")
    assert linted.returncode == 4
    assert "tf-postmortem.toml:3:1: unknown key 'rulez'; the known keys are rules, disable and redact" in linted.stdout
    assert (
        f"{own_pack}:7:12: rule mine-broker-fenced: {{borker}} is not a capture of its signals; did you mean"
        in linted.stdout
    )
    named = run(place, "lint", "packs")
    assert (named.returncode, named.stdout) == (0, "1 file, 1 rule: 0 errors, 0 hints\n"), named
