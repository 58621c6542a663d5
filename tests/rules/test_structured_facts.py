"""What files state and what the analyzer concludes are signals like any line: a rule asks for them by name."""

from pathlib import Path

import pytest
from small_packs import load_text

from analyzer.reading import build_plan
from analyzer.rule_tests import run_tests

FLIGHT = """\
          node-1/flight.jsonl: |
            {"type":"start","wall":1780000000.5,"monotonic":100.5,"flight":1,"host":"node-1","pid":77,"command":["x"],"zone":0}
            {"type":"sample","wall":1780000010,"monotonic":110,"processes":[{"pid":77,"name":"x","rss":%d}]}
            {"type":"end","wall":1780000090.5,"monotonic":190.5,"code":%d}
"""
CRASH = """\
          node-1/core.7:
            crash: {signal: %s, pid: 7, function: ncclAllReduce, module: %s, message: "%s"}
"""
TF_CONFIG = """\
          node-1/tf_config.json: '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": %d}}'
"""
# signal and what is asked of it; what fires; what does not; what is captured
CASES = {
    "derived.setting, where: {key: tensorflow, value: '< 2.4'}": (
        '          node-1/w.log: "TensorFlow version: 2.3.1"\n',
        '          node-1/w.log: "TensorFlow version: 2.4.0"\n',
        "value: 2.3.1",
    ),
    "file.tf_config, where: {task: worker:1}": (TF_CONFIG % 1, TF_CONFIG % 0, "task: worker:1"),
    "file.exit_code, where: {code: 137}": (
        '          node-1/exit_code: "137"\n',
        '          node-1/exit_code: "1"\n',
        "signal: 9",
    ),
    "file.exit_of, where: {code: '> 1'}": (
        '          exit_codes.txt: "worker:0 0\\nworker:1 137"\n',
        '          exit_codes.txt: "worker:0 0\\nworker:1 1"\n',
        "task: worker:1",
    ),
    "derived.exited, where: {code: '!= 0'}": (FLIGHT % (5, 3), FLIGHT % (5, 0), "code: 3"),
    "derived.peak, where: {metric: memory, value: '> 2GiB'}": (FLIGHT % (3 << 30, 0), FLIGHT % (1 << 30, 0), "pid: 77"),
    "core.signal, where: {signal: SIGBUS}": (
        CRASH % ("SIGBUS", "a.so", "m"),
        CRASH % ("SIGSEGV", "a.so", "m"),
        "signal: SIGBUS",
    ),
    "core.frame, where: {module: '~ nccl', depth: '< 3'}": (
        CRASH % ("SIGSEGV", "libnccl.so.2", "m"),
        CRASH % ("SIGSEGV", "libc.so.6", "m"),
        "function: ncclAllReduce",
    ),
    "core.message, where: {message: '~ Check failed'}": (
        CRASH % ("SIGABRT", "a.so", "Check failed: x"),
        CRASH % ("SIGABRT", "a.so", "free(): bad"),
        "pid: 7",
    ),
}


@pytest.mark.parametrize("asked", CASES)
def test_a_rule_asks_for_a_fact(asked: str, tmp_path: Path) -> None:
    fires, silent, captures = CASES[asked]
    text = f"""\
pack: facts
signals:
  version: {{match: 'TensorFlow version: (?P<tensorflow>\\S+)', feeds: version}}
rules:
  - id: r
    severity: warning
    when: {{signal: {asked}}}
    tests:
      - fires:
{fires}\
        captures: {{{captures}}}
      - silent:
{silent}"""
    packs = load_text(tmp_path, text)
    assert not packs.problems
    outcomes = list(run_tests(packs.rules, packs, build_plan(packs)))
    assert [outcome.failure for outcome in outcomes] == [None, None]
