"""Reports in a real browser: what is on the first screen, what runs, what is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import SCREENS, Visit, needs_browser, sync_api
from report_samples import HOSTILE, empty, healthy, hostile, many, oom, typed, undiagnosed

from analyzer.report.html import render_html

pytestmark = [pytest.mark.browser, needs_browser]

SAMPLES = {
    "oom": oom,
    "undiagnosed": undiagnosed,
    "healthy": healthy,
    "empty": empty,
    "many": many,
    "hostile": lambda: hostile(" ".join(HOSTILE)),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    for name, build in SAMPLES.items():
        (folder / f"{name}.html").write_text(render_html(typed(build())), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in SAMPLES}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", SAMPLES)
def test_opens_without_error_request_or_sideways_scrolling(
    browser: sync_api.Browser, reports: dict[str, Path], name: str, screen: str
) -> None:
    width, height = SCREENS[screen]
    with Visit(browser, reports[name], (width, height)) as visit:
        assert visit.messages == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [reports[name].as_uri()]
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        assert visit.page.evaluate("window.hacked") is None
        box = visit.page.locator("h1").bounding_box()
        assert box is not None and box["y"] >= 0 and box["y"] + min(box["height"], 200) <= height
        # Only what is meant to scroll by itself reaches beyond the screen.
        assert (
            visit.page.evaluate("""[...document.querySelectorAll("main *")].filter(one =>
            one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, .hidden")).length""")
            == 0
        )


def test_first_screen_of_a_desk_shows_verdict_reasons_steps_and_the_evidence_line(
    browser: sync_api.Browser, reports: dict[str, Path]
) -> None:
    with Visit(browser, reports["oom"]) as visit:
        for selector in ("h1", "#verdict .facts", "#verdict .columns", "#verdict .cascade", "#verdict .row.hit"):
            box = visit.page.locator(selector).first.bounding_box()
            assert box is not None and box["y"] + box["height"] <= 800, selector


def test_reads_without_javascript(browser: sync_api.Browser, reports: dict[str, Path]) -> None:
    with Visit(browser, reports["oom"], java_script_enabled=False) as visit:
        assert visit.page.locator("#verdict .row.hit").first.is_visible()
        assert visit.page.locator("#timeline svg.lanes").first.is_visible()
        assert not any(tool.is_visible() for tool in visit.page.locator(".tools").all())
        visit.page.locator("#cascade summary", has_text="collective.peer-lost").click()
        assert visit.page.locator("#cascade .passage").first.is_visible()


def test_time_zone_copying_and_unfolding(browser: sync_api.Browser, reports: dict[str, Path]) -> None:
    with Visit(
        browser, reports["oom"], timezone_id="Asia/Tokyo", permissions=["clipboard-read", "clipboard-write"]
    ) as visit:
        time = visit.page.locator("#verdict .facts time")
        assert time.inner_text() == "2026-03-04 02:20:04.250 UTC"
        visit.page.select_option("#zone", "local")
        assert time.inner_text() == "2026-03-04 11:20:04.250 GMT+9"
        visit.page.select_option("#zone", "utc")
        assert time.inner_text() == "2026-03-04 02:20:04.250 UTC"
        visit.page.click("button.copy >> nth=0")
        visit.page.locator("#said", has_text="Copied as Markdown").wait_for()
        assert visit.page.evaluate("navigator.clipboard.readText()").startswith("## train-2: the kernel killed")
        visit.page.click("button.copy >> nth=1")
        visit.page.locator("#said", has_text="Copied as Jira").wait_for()
        assert visit.page.evaluate("navigator.clipboard.readText()").startswith("h2. train-2: the kernel killed")
        visit.page.click("#unfold")
        assert visit.page.evaluate("[...document.querySelectorAll('main details')].every(one => one.open)")
        assert visit.messages == []


def test_a_reason_leads_to_its_line_even_where_that_is_folded(
    browser: sync_api.Browser, reports: dict[str, Path]
) -> None:
    with Visit(browser, reports["oom"], reduced_motion="reduce") as visit:
        visit.page.locator("#verdict .columns a", has_text="worker.log:3990").click()
        target = visit.page.locator(":target")
        assert target.is_visible()
        box = target.bounding_box()
        assert box is not None and 0 <= box["y"] < 800
        assert "heartbeat timeout" in target.inner_text()


CONTRAST = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const linear = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = (colour) => { const [r, g, b] = colour.map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (one) => { for (; one; one = one.parentElement) {
    const c = parse(getComputedStyle(one).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), bad = [];
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !one.checkVisibility()) continue;
    if (one.closest("script, style, svg, .skip")) continue;
    const [a, b] = [light(parse(getComputedStyle(one).color)), light(ground(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)} ${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`);
  }
  return bad;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["oom", "undiagnosed", "healthy"])
def test_all_text_has_aa_contrast(browser: sync_api.Browser, reports: dict[str, Path], name: str, scheme: str) -> None:
    with Visit(browser, reports[name], color_scheme=scheme) as visit:
        visit.page.click("#unfold")
        assert visit.page.evaluate(CONTRAST) == []
        ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(17, 20, 24)") == (scheme == "dark")


@pytest.mark.parametrize(("name", "most"), [("oom", 4), ("many", 5)])
def test_prints_on_few_pages(browser: sync_api.Browser, reports: dict[str, Path], name: str, most: int) -> None:
    with Visit(browser, reports[name]) as visit:
        pdf = visit.page.pdf(format="A4")
        assert 2 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type/Page/") <= most
