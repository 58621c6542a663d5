"""The words, letters and numbers by which programs state the severity of a line."""

from __future__ import annotations

from analyzer.model import Severity

SEVERITY_BY_LETTER = {
    "D": Severity.DEBUG,
    "T": Severity.DEBUG,
    "V": Severity.DEBUG,
    "I": Severity.INFO,
    "W": Severity.WARNING,
    "E": Severity.ERROR,
    "C": Severity.FATAL,
    "F": Severity.FATAL,
}

# supervisord writes four letters (ERRO, CRIT, DEBG, TRAC, BLAT), Slurm debug2..debug5, syslog err/crit/alert/emerg.
SEVERITY_BY_WORD = {
    word: level
    for level, words in {
        Severity.DEBUG: "trace trac debug debg debug1 debug2 debug3 debug4 debug5 verbose blat",
        Severity.INFO: "info information notice success normal version call note",
        Severity.WARNING: "warn warning",
        Severity.ERROR: "err erro error exception severe failure",
        Severity.FATAL: "fatal crit critical alert emerg emergency panic dpanic abort",
    }.items()
    for word in words.split()
}

# The numbers of syslog(3), which the kernel shares: emerg, alert, crit, err, warning, notice, info, debug.
# Everything above err is FATAL here: the kernel writes emerg and alert only if it cannot continue.
SEVERITY_BY_NUMBER = (
    Severity.FATAL,
    Severity.FATAL,
    Severity.FATAL,
    Severity.ERROR,
    Severity.WARNING,
    Severity.INFO,
    Severity.INFO,
    Severity.DEBUG,
)

LEVEL_WORDS = (
    "TRACE|DEBUG|VERBOSE|INFO|NOTICE|SUCCESS|WARNING|WARN|ERROR|ERR"
    "|CRITICAL|CRIT|FATAL|SEVERE|EXCEPTION|ALERT|EMERG|PANIC"
)
LEVEL_WORDS_ANY_CASE = (
    LEVEL_WORDS + "|" + LEVEL_WORDS.lower() + "|" + "|".join(word.capitalize() for word in LEVEL_WORDS.split("|"))
)


def read_severity(word: str) -> Severity | None:
    """Return the severity of a word or a single letter, in any case; None for any other word."""
    if len(word) == 1:
        return SEVERITY_BY_LETTER.get(word.upper())
    return SEVERITY_BY_WORD.get(word.lower())
