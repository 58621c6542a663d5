"""`rules list`, `show`, `explain` and `new` as an author calls them."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from author import PACK, call, write_pack

from analyzer.errors import UsageError
from analyzer.pipeline import Options, analyze
from analyzer.report.json import to_json


def two_rules(folder: Path) -> Path:
    other = PACK.partition("rules:\n")[2].replace("acme-link-lost", "acme-card-gone").replace("af0 lost", "af0 gone")
    other = other.replace("lost'", "gone'").replace(
        "    title:", "    source: kernel\n    explains: [acme-link-*]\n    title:"
    )
    return write_pack(folder, PACK + other)


def test_lists_filter_and_have_three_forms(tmp_path: Path) -> None:
    pack = two_rules(tmp_path)
    assert call("list", pack).stdout.endswith("2 rules\n")
    assert call("list", "--cause", "nothing", pack).stdout == "0 rules\n"
    assert call("list", "--source", "worker", pack).stdout.endswith("1 rules\n")
    rows = json.loads(call("list", "--format", "json", "--pack", "acme", pack).stdout)
    assert [(row["id"], row["sources"]) for row in rows] == [
        ("acme-link-lost", ["any"]),
        ("acme-card-gone", ["kernel"]),
    ]
    markdown = call("list", "--format", "markdown", pack).stdout
    assert "### `acme-card-gone`" in markdown
    assert "Reseat the cable." in markdown
    assert call("list", "--format", "html", pack).exit_code != 0


def test_a_rule_is_shown_with_its_edges_in_both_directions(tmp_path: Path) -> None:
    pack = two_rules(tmp_path)
    assert "explains acme-link-lost" in call("show", "acme-card-gone", pack).stdout
    shown = call("show", "acme-link-lost", pack).stdout
    assert "is explained by acme-card-gone" in shown
    assert 'test 2: {"silent"' in shown
    assert "fires on: acme-link-lost" in shown
    error = call("show", "acme-link-lots", pack).exception
    assert isinstance(error, UsageError)
    assert error.hint == "did you mean 'acme-link-lost'?"


def test_a_finding_is_explained_and_so_is_what_did_not_fire(tmp_path: Path) -> None:
    pack = two_rules(tmp_path)
    logs = tmp_path / "logs" / "n1"
    logs.mkdir(parents=True)
    (logs / "dmesg.txt").write_text("[  10.5] acme fabric: link 3 of af0 lost\n")
    report = tmp_path / "incident.json"
    report.write_text(json.dumps(to_json(analyze([tmp_path / "logs"], Options(rules=(pack,))))))
    explanation = call("explain", report, "acme-link-lost", "--rules", pack).stdout
    assert "dmesg.txt:1" in explanation
    assert "captures link=3, card=af0" in explanation
    assert "acme-card-gone: no line of acme-card-gone" in explanation
    assert call("explain", report, "f99", "--rules", pack).exit_code != 0
    assert call("explain", pack, "f1").exit_code != 0


def test_a_new_pack_lints_and_passes_as_it_is(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    log.write_text(
        "hello\n2024-03-01 10:11:12.5: E fabricd/agent.cc:88] agent 4711 lost link 12 to 10.0.3.7:40 (state 0xdead)\n"
    )
    pack = tmp_path / "new.yaml"
    result = call("new", "--from-line", f"{log}:2", "--pack", "mine", "-o", pack)
    assert "0 errors, 2 of 2 tests pass" in result.output
    assert call("lint", pack).exit_code == 0
    assert call("test", pack).exit_code == 0
    assert '{agent: "4711", link: "12", address: "10.0.3.7:40", state: "0xdead"}' in pack.read_text()
    assert call("new", "--from-line", f"{log}:2", "-o", pack).exit_code != 0  # never over what is there
    assert call("new", "--from-line", f"{log}:9").exit_code != 0


def test_a_new_pack_from_an_error_that_nothing_explained(tmp_path: Path) -> None:
    report = tmp_path / "incident.json"
    example = {"file": "n1/dmesg.txt", "text": "[  10.5] zork7: cannot reach frob 12"}
    report.write_text(json.dumps({"findings": [], "unclassified": [{"example": example}]}))
    stdout = call("new", "--from-template", f"{report}:1").stdout
    assert "cannot reach frob (?P<frob>" in stdout
    assert "source: kernel" in stdout
    assert call("new", "--from-template", f"{report}:2").exit_code != 0


def test_import_says_rule_by_rule_what_is_lost(tmp_path: Path) -> None:
    theirs = "rules: [{cre: {id: CRE-2031-0001}, rule: {set: {match: [alpha word]}}}, {cre: {id: B}, rule: {set: {match: [{jq: .a}]}}}]"  # noqa: E501
    file, out = write_pack(tmp_path, theirs, "theirs.yaml"), tmp_path / "pack.yaml"
    result = call("import", file, "-o", out)
    assert result.exit_code == 0, result.output
    assert "SKIPPED B: `jq`" in result.stderr
    assert "1 of 2 rules converted, 1 without a test" in result.stderr
    assert "alpha word" in out.read_text()
    assert "there is no test that fires" in call("lint", out).stdout
    assert call("import", file, "-o", out).exit_code != 0  # it overwrites nothing


@pytest.mark.parametrize("form", ["json", "junit", "github"])
def test_results_have_forms_for_programs(form: str, tmp_path: Path) -> None:
    good = write_pack(tmp_path, name="good.yaml")
    assert call("lint", good, "--format", form).exit_code == call("test", good, "--format", form).exit_code == 0
    bad = write_pack(
        tmp_path, PACK.replace("role: cause", "role: culprit").replace("af0 lost", "af0 <gone>"), "bad.yaml"
    )
    linted, tested = call("lint", bad, "--format", form), call("test", bad, "--format", form)
    assert linted.exit_code == tested.exit_code == 4
    if form == "json":
        (error,) = (row for row in json.loads(linted.stdout)["results"] if row["outcome"] == "error")
        assert error["file"] == str(bad) and error["line"] > 1 and "culprit" in error["text"]
        outcomes = {row["name"]: row["outcome"] for row in json.loads(tested.stdout)["results"]}
        assert outcomes["acme-link-lost test 1"] == "error" and outcomes["acme-link-lost test 2"] == "passed"
    elif form == "junit":
        suite = ElementTree.fromstring(tested.stdout)
        assert suite.get("failures") == "2" and len(list(suite.iter("testcase"))) == 3
        assert ElementTree.fromstring(call("test", good, "--format", form).stdout).get("failures") == "0"
    else:
        assert re.match(r"::error title=rules lint%3A .*,file=.*bad.yaml,line=\d+,col=\d+::.*culprit", linted.stdout)
    assert call("lint", good, "--format", "yaml").exit_code != 0
