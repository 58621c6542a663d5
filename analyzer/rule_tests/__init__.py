"""Runs the tests that rules carry: each is a bundle in small, analyzed by the real pipeline."""

from analyzer.rule_tests.bundle import TestBundle, TestError, bundle_of, read_bundle
from analyzer.rule_tests.judge import Mismatch, Outcome, analyze_texts, judge_test, run_tests

__all__ = [
    "Mismatch",
    "Outcome",
    "TestBundle",
    "TestError",
    "analyze_texts",
    "bundle_of",
    "judge_test",
    "read_bundle",
    "run_tests",
]
