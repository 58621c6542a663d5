"""The reports of all fixtures, opened: nothing is fetched, nothing complains, and everybody can read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browsing import SCREENS, Visit, needs_browser, sync_api
from fixture_incidents import BUNDLES, bundle_of, incident_of
from report_samples import HOSTILE

from analyzer.history import IncidentRecord, Note
from analyzer.history.trends import find_trends
from analyzer.history.trends_page import render_trends
from analyzer.report.html import render_html
from analyzer.report.json import write_incident

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = [pytest.mark.browser, needs_browser]
DOUBLED_IDS = "[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, at, ids) => ids.indexOf(id) !== at)"
STRETCH = re.compile(r"(\S+) to (\S+) UTC \((.*)\), (\d+) of (\d+) nodes")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fixture-reports")


def report_of(bundle: Path, folder: Path) -> Path:
    path = folder / f"{bundle.parent.name}.html"
    if not path.exists():
        path.write_text(render_html(write_incident(incident_of(bundle))), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: path.parent.name)
def test_a_report_opens_quietly_and_axe_finds_no_violation(browser: sync_api.Browser, path: Path, folder: Path) -> None:
    report = report_of(path, folder)
    assert report.stat().st_size < 2_000_000
    with Visit(browser, report) as visit:
        assert visit.messages == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [report.as_uri()]
        assert visit.page.evaluate(DOUBLED_IDS) == []
        for screen in SCREENS.values():
            visit.page.set_viewport_size({"width": screen[0], "height": screen[1]})
            box = visit.page.locator("h1").bounding_box()
            assert box is not None and box["y"] >= 0 and box["y"] + min(box["height"], 200) <= screen[1]
            if screen == SCREENS["desk"]:
                verdict = visit.page.locator("#verdict").bounding_box()
                assert verdict is not None and verdict["y"] + verdict["height"] <= screen[1]
        violations = axe.Axe().run(visit.page).response["violations"]
        assert [(violation["id"], violation["nodes"][0]["html"][:200]) for violation in violations] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", ["memory-cgroup-oom", "healthy"])
def test_axe_finds_no_violation_in_either_scheme_and_size(
    browser: sync_api.Browser, folder: Path, name: str, screen: str, scheme: str
) -> None:
    with Visit(browser, report_of(bundle_of(name), folder), SCREENS[screen], color_scheme=scheme) as visit:
        visit.page.click("#unfold")
        assert axe.Axe().run(visit.page).response["violations"] == []
        assert visit.messages == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_page_of_trends_opens_quietly_and_axe_finds_no_violation(
    browser: sync_api.Browser, tmp_path: Path, screen: str, scheme: str
) -> None:
    page = tmp_path / "trends.html"
    page.write_text(render_trends(find_trends(hostile_records())), encoding="utf-8")
    with Visit(browser, page, SCREENS[screen], color_scheme=scheme) as visit:
        assert visit.messages == [] and [url for url in visit.asked if not url.startswith("data:")] == [page.as_uri()]
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen][0]
        assert visit.page.evaluate("window.hacked") is None
        assert visit.page.locator("svg.trend rect").count() >= 3
        assert axe.Axe().run(visit.page).response["violations"] == []


def hostile_records() -> list[IncidentRecord]:
    """Return incidents of several causes, nodes and faults that come back, with hostile texts."""
    return [
        IncidentRecord(
            fingerprint=f"f{number}",
            happened=f"2026-01-{number + 1:02}T03:04:05Z",
            seen="2026-02-01T00:00:00Z",
            verdict="diagnosed",
            cause=f"cause-{number % 8} {HOSTILE[number % 3]}",
            rule="",
            title=HOSTILE[number % len(HOSTILE)],
            node=f"r{number % 2}-gpu{number % 4} {HOSTILE[2]}",
            task="",
            signatures={"usual": f"{number % 5:016x}"},
            notes=(Note("2026-02-01T00:00:00Z", HOSTILE[0], HOSTILE[1]),),
        )
        for number in range(24)
    ]


def test_axe_finds_what_is_wrong(browser: sync_api.Browser, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.html"
    wrong.write_text("<html><body><img src='data:,'><button></button></body></html>")
    with Visit(browser, wrong) as visit:
        assert len(axe.Axe().run(visit.page).response["violations"]) >= 2


def test_a_stretch_is_chosen_by_mouse_and_by_keyboard(browser: sync_api.Browser, folder: Path) -> None:
    with Visit(browser, report_of(bundle_of("killed-worker"), folder)) as visit:
        label = visit.page.locator("#zoom-said")
        overview = visit.page.locator("svg.lanes").last
        overview.scroll_into_view_if_needed()
        box = overview.bounding_box()
        assert box is not None
        visit.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
        visit.page.mouse.down()
        visit.page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + 60, steps=4)
        visit.page.mouse.up()
        chosen = STRETCH.search(label.inner_text())
        assert chosen and chosen[4] == chosen[5] == "3"
        heading = visit.page.locator("#timeline h3").first
        assert heading.inner_text() == "The selected time"
        assert visit.page.locator("svg.lanes rect.brushed").count() == 1
        for scheme in ("light", "dark"):
            visit.page.emulate_media(color_scheme=scheme)
            assert [violation["id"] for violation in axe.Axe().run(visit.page).response["violations"]] == []
        visit.page.locator("#timeline .scroll").first.focus()
        visit.page.keyboard.press("+")
        closer = STRETCH.search(label.inner_text())
        assert closer and chosen[1] < closer[1] < closer[2] < chosen[2]
        visit.page.keyboard.press("ArrowRight")
        later = STRETCH.search(label.inner_text())
        assert later and later[1] > closer[1]
        visit.page.keyboard.press("0")
        again = STRETCH.search(label.inner_text())
        assert again and again[0] != chosen[0]
        assert heading.inner_text() == "Around the failure"
        assert visit.messages == []


def test_a_name_of_a_lane_opens_its_tasks(browser: sync_api.Browser, folder: Path) -> None:
    with Visit(browser, report_of(bundle_of("killed-worker"), folder)) as visit:
        panel = visit.page.locator("#marked")
        for label in ("text.name", "text.name + text.task"):
            visit.page.evaluate("document.getElementById('marked').hidden = true")
            lane = visit.page.locator("svg.lanes").first.locator("g.lane").nth(1)
            task = lane.locator("text.task").first.text_content()
            lane.locator(label).click()
            assert task and task in panel.inner_text() and panel.is_visible()
        visit.page.locator("#zoom button[value=in]").click()
        visit.page.locator("svg.lanes").first.locator("g.lane text.name").nth(2).click()
        assert task not in panel.inner_text() and visit.messages == []


def test_the_filter_by_node_leaves_its_row_and_its_lane_on_the_first_card(
    browser: sync_api.Browser, folder: Path
) -> None:
    with Visit(browser, report_of(bundle_of("killed-worker"), folder)) as visit:
        card = visit.page.locator("#verdict")
        rows, lanes = card.locator(".ends tbody tr:visible"), card.locator("svg.mini [data-node]:visible")
        kept = card.locator(".sentence, ol.steps-list, .case li, .proof .row")
        before = (rows.count(), lanes.count(), kept.all_inner_texts())
        assert before[:2] == (3, 3)
        visit.page.fill("#find-node", "ip-10-0-1-11")
        assert (rows.count(), lanes.count(), kept.all_inner_texts()) == (1, 1, before[2])
        assert "ip-10-0-1-11" in rows.first.inner_text()
        visit.page.fill("#find", "nowhere in this report")
        assert rows.count() == 1
        visit.page.fill("#find-node", "")
        assert (rows.count(), lanes.count()) == before[:2] and visit.messages == []


def test_a_mark_shows_each_line_once_with_all_its_signals(browser: sync_api.Browser, folder: Path) -> None:
    with Visit(browser, report_of(bundle_of("killed-worker"), folder)) as visit:
        figure, panel = visit.page.locator("svg.lanes").first, visit.page.locator("#marked")
        stated = re.compile(r"and (\d+) more at this place").findall(figure.inner_html())
        lane = figure.locator("g.lane", has=visit.page.locator("text.name", has_text="ip-10-0-1-11"))
        lane.locator("a", has=visit.page.locator("path.mark.error")).first.click()
        rows = panel.locator(".row")
        places = rows.evaluate_all("(rows) => rows.map((row) => row.querySelector('code').title)")
        assert places and len(places) == len(set(places))
        assert panel.inner_text().count(f"{len(places)} line") == 1
        assert any("," in signals for signals in rows.locator("small").all_inner_texts())
        assert stated and max(map(int, stated)) < 10 and visit.messages == []


def test_nodes_and_severities_are_filtered(browser: sync_api.Browser, folder: Path) -> None:
    with Visit(browser, report_of(bundle_of("killed-worker"), folder)) as visit:
        figure = visit.page.locator("svg.lanes").first
        visit.page.fill("#zoom-node", "worker:1")
        assert figure.locator("g.lane").count() == 1
        visit.page.fill("#zoom-node", "")
        visit.page.select_option("#zoom-severity", "3")
        assert figure.locator("g.lane").count() == 3
        assert figure.locator("path.info, path.mark.warning").count() == 0
        assert figure.locator("path.mark.error").count() > 0
        first = figure.locator("a").first
        first.focus()
        visit.page.keyboard.press("Enter")
        lines = visit.page.locator("#marked")
        assert lines.locator(".row").first.is_visible()
        lines.locator("a", has_text="In the cascade").click()
        assert visit.page.locator(":target").is_visible()
        assert visit.messages == []
