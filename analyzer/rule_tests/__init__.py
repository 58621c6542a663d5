"""Run the tests that rules contain: each is a small bundle, analyzed by the real pipeline."""

from analyzer.rule_tests.check import TestMismatch, TestOutcome, analyze_texts, check_test, run_tests
from analyzer.rule_tests.test_bundle import RuleTestBundle, RuleTestError, read_bundle, test_files

__all__ = [
    "RuleTestBundle",
    "RuleTestError",
    "TestMismatch",
    "TestOutcome",
    "analyze_texts",
    "check_test",
    "read_bundle",
    "run_tests",
    "test_files",
]
