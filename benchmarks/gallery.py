"""`make gallery`: five real reports and their pictures, light and dark, in docs/examples/.

Each report is of a recorded run of fixtures/runs/, handed over as some platform does it. The pictures need a Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "examples"
# Name of the report → the case as `make accuracy CASE=` takes it.
CASES = {
    "oom-kill": "cgroup-oom-ring-train-1/plain-node-folders/plain/1",
    "hang": "stopped-ring-train-1/kube-pod-files/plain/1",
    "native-crash": "segfault-dtensor-mlp-1/plain-node-folders/plain/1",
    "silent-divergence": "nan-ps-train-1/plain-node-folders/plain/1",
    "healthy": "none-ring-train-1/slurm-per-task/plain/1",
}
MAX_REPORT_BYTES = 400_000
SCREEN = {"width": 1280, "height": 800}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-pictures", action="store_true", help="write the reports alone")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    reports = [write_report(name, case) for name, case in CASES.items()]
    if not options.no_pictures:
        take_pictures(reports)


def write_report(name: str, case: str) -> Path:
    """Analyze a case and return its report."""
    report = FOLDER / f"{name}.html"
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / name
        run("-m", "accuracy", "--case", case, "--write", bundle)
        run("-m", "analyzer", "analyze", bundle, "-q", "-o", report)
    if report.stat().st_size > MAX_REPORT_BYTES:
        raise SystemExit(f"error: {report} has {report.stat().st_size:,} bytes, more than {MAX_REPORT_BYTES:,}")
    return report


def run(*words: object) -> None:
    subprocess.run([sys.executable, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def take_pictures(reports: list[Path]) -> None:
    """Write NAME-light.png and NAME-dark.png of the first screen of each report."""
    from playwright.sync_api import sync_playwright

    browsers = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome"))
    program = next(filter(None, browsers), None)
    if program is None:
        raise SystemExit("error: the pictures need a Chromium; --no-pictures goes without")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for report in reports:
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport=SCREEN, color_scheme=scheme)
                page.goto(report.as_uri())
                page.screenshot(path=report.with_name(f"{report.stem}-{scheme}.png"))
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
