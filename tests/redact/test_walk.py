"""Every string that a bundle may have brought in is gone through, and no other."""

from __future__ import annotations

from analyzer.redact.identifiers import find_identifiers
from analyzer.redact.rename import assign_stable_names, rename
from analyzer.redact.secrets import MASK, mask_secrets

TOKEN = "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5"


def test_captures_may_be_called_as_keys_of_the_report_are() -> None:
    report = {"findings": [{"id": "f1", "rule": "a.b", "captures": {"id": TOKEN, "status": TOKEN, "signal": TOKEN}}]}
    masked = mask_secrets(report)
    assert TOKEN not in str(masked) and masked["findings"][0]["id"] == "f1"
    names = {"findings": [{"rule": "a.b", "captures": {"status": "on /home/mirelle/x", "host": "gpu-alpha17"}}]}
    assert not {"mirelle", "gpu-alpha17"} & set(
        str(rename(names, assign_stable_names(find_identifiers(names, (), frozenset()))))
    )


def test_a_setting_is_masked_by_its_name() -> None:
    masked = mask_secrets({"settings": {"DB_PASSWORD": "hunter2", "NCCL_DEBUG": "INFO", "PWD": "/srv"}})
    assert masked == {"settings": {"DB_PASSWORD": MASK, "NCCL_DEBUG": "INFO", "PWD": "/srv"}}
    assert mask_secrets({"cores": [{"environment": {"MYSQL_PWD": "x"}}]}) == {
        "cores": [{"environment": {"MYSQL_PWD": MASK}}]
    }


def test_values_that_are_masked_alike_stay_apart() -> None:
    skew = {"skew": [{"key": "X", "values": {f"a {TOKEN}": ["n1"], f"a {TOKEN[:-1]}6": ["n2"]}}]}
    values = mask_secrets(skew)["skew"][0]["values"]
    assert sorted(values.values()) == [["n1"], ["n2"]] and TOKEN not in str(values)


def test_a_variable_tells_by_its_name_whose_name_it_holds() -> None:
    report = {"cores": [{"environment": {"USER": "mirelle", "SLURM_JOB_ACCOUNT": "vision-grant", "LOGNAME": "worker"}}]}
    hidden = rename(report, assign_stable_names(find_identifiers(report, (), frozenset({"worker"}))))
    assert hidden["cores"][0]["environment"] == {
        "USER": "user-1",
        "SLURM_JOB_ACCOUNT": "account-1",
        "LOGNAME": "user-2",
    }
    differing = {"skew": [{"key": "SLURM_JOB_ACCOUNT", "values": {"vision-grant": ["n"], "vision-old": ["m"]}}]}
    assert "vision" not in str(rename(differing, assign_stable_names(find_identifiers(differing, (), frozenset()))))


def test_a_name_in_a_list_of_variables_may_stand_a_line_apart() -> None:
    report = {
        "context": {"lines": ["  - name: LOGNAME", "    value: mirelle", "mirelle left"]},
        "notes": ["by mirelle"],
    }
    assert "mirelle" not in str(rename(report, assign_stable_names(find_identifiers(report, (), frozenset()))))
    pair = {"notes": ['{"name": "SLURM_JOB_ACCOUNT", "value": "vision-grant"}']}
    assert "vision" not in str(rename(pair, assign_stable_names(find_identifiers(pair, (), frozenset()))))


def test_keys_of_the_report_are_nobodys_names() -> None:
    report = {"notes": ["/home/nodes/x", "USER=lines"], "nodes": [], "context": {"lines": ["x"], "first_line": 1}}
    hidden = rename(report, assign_stable_names(find_identifiers(report, (), frozenset())))
    assert hidden.keys() == report.keys() and hidden["context"].keys() == report["context"].keys()
