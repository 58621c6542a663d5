// The timeline, closer: the first figure is drawn anew from the embedded data for any stretch of time, severity and node.
// Drag on a figure to choose a stretch; + − ← → 0 do the same by keyboard. A mark opens its lines below the figure.
// Without this, the figures stand as they are.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const section = $("timeline");
  const figures = section ? [...section.querySelectorAll("svg.lanes")] : [];
  const timeline = JSON.parse($("incident-data").textContent).timeline;
  if (!figures.length || !timeline || !timeline.events) return;

  const detail = figures[0], overview = figures[figures.length - 1];
  const WIDTH = 1180, LABELS = 176, RIGHT = 14, TOP = 30, LANE = 30, BOTTOM = 24, BIN = 9, MOST = 60, LEAST = 0.001, MOST_LINES = 20;
  const RANK = { debug: 0, info: 1, warning: 2, error: 3, fatal: 4 };
  const SHAPES = { fatal: "m-5.5-5.5 11 11m-11 0 11-11", error: "m0-5.5 5.5 5.5-5.5 5.5-5.5-5.5z", warning: "m0-5 5 9h-10z" };
  const seconds = (stamp) => (stamp ? Date.parse(stamp) / 1000 : null);
  const span = (svg) => ({ start: Number(svg.dataset.start), end: Number(svg.dataset.end) });
  const whole = span(overview), first = span(detail);
  const root = detail.dataset.root ? Number(detail.dataset.root) : null;
  const anchors = JSON.parse(detail.dataset.anchors);
  const controls = $("zoom"), caption = detail.closest(".scroll"), heading = caption.previousElementSibling;
  const title = heading.textContent;
  let view = { ...first };

  const make = (name, attributes, ...inside) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };

  const lanes = JSON.parse(detail.dataset.lanes).map(([name, tasks, said, culprit, alive, silent, error]) => ({ name, tasks, said, culprit, alive, silent, error }));
  const byName = new Map(lanes.map((lane) => [lane.name, Object.assign(lane, { marks: [], steps: [] })]));
  // A line that several signals match is one mark, with the worst severity.
  const byPlace = new Map();
  for (const event of timeline.events) {
    const lane = byName.get(event.node), time = seconds(event.corrected);
    if (!lane || time === null) continue;
    const place = JSON.stringify([event.node, event.file, event.line ?? event.text]), known = byPlace.get(place);
    if (known) {
      known.signals.add(event.signal);
      known.link ||= anchors[event.finding];
      if (RANK[event.severity] > RANK[known.severity]) known.severity = event.severity;
    } else {
      const mark = { time, severity: event.severity, text: event.text, signals: new Set([event.signal]), link: anchors[event.finding], node: event.node, file: event.file, line: event.line };
      byPlace.set(place, mark);
      lane.marks.push(mark);
    }
  }
  for (const one of timeline.progress) {
    const lane = byName.get(one.node);
    if (lane) lane.steps.push(...one.points.map(([stamp, step]) => [seconds(stamp), step]));
  }
  for (const lane of lanes) lane.steps.sort((a, b) => a[0] - b[0]);

  // Nodes that did the same are one lane, as in the figure that came with the file.
  const least = (values) => values.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null);
  const merge = (group) => {
    const alive = group.map((lane) => lane.alive).filter(Boolean);
    return {
      name: `${group.length.toLocaleString("en")} nodes alike`, tasks: [`${group[0].name} … ${group.at(-1).name}`], said: group.slice(0, 50).map((lane) => lane.name).join(", "), culprit: 0,
      alive: alive.length ? [Math.min(...alive.map((pair) => pair[0])), Math.max(...alive.map((pair) => pair[1]))] : null,
      silent: least(group.map((lane) => lane.silent)), error: null, members: group.map((lane) => lane.name),
      marks: group.flatMap((lane) => lane.marks), steps: group[0].steps,
    };
  };
  const folded = JSON.parse(detail.dataset.folds).map((places) => (places.length === 1 ? lanes[places[0]] : merge(places.map((place) => lanes[place]))));
  let drawn = folded;

  const x = (time) => LABELS + ((WIDTH - LABELS - RIGHT) * (time - view.start)) / (view.end - view.start);
  const inside = (time) => Math.min(Math.max(time, view.start), view.end);
  const clock = (time, digits) => new Date(time * 1000).toISOString().slice(11, 19 + digits);
  const tidy = (number) => number.toFixed(1).replace(/\.0$/, "");
  const length = (s) => (s === 0 ? "0 s" : s < 1 ? `${tidy(s * 1000)} ms` : s < 120 ? `${tidy(s)} s` : s < 7200 ? `${tidy(s / 60)} min` : `${tidy(s / 3600)} h`);

  function* drawMarks(lane, least) {
    const seen = lane.marks.filter((mark) => mark.time >= view.start && mark.time <= view.end && RANK[mark.severity] >= least);
    const quiet = [...new Set(seen.filter((mark) => !SHAPES[mark.severity]).map((mark) => Math.round(x(mark.time))))];
    if (quiet.length) yield make("path", { class: "info", d: quiet.map((at) => `M${at} ${LANE - 9}v5`).join("") });
    const bins = new Map();
    for (const mark of seen) {
      if (!SHAPES[mark.severity]) continue;
      const bin = Math.floor(x(mark.time) / BIN), known = bins.get(bin);
      if (!known) bins.set(bin, { loud: mark, count: 1, link: mark.link });
      else {
        known.count += 1;
        known.link ||= mark.link;
        if (RANK[mark.severity] > RANK[known.loud.severity]) known.loud = mark;
      }
    }
    for (const { loud, count, link } of bins.values()) {
      const said = `${loud.severity}: ${loud.text.slice(0, 140)}${count > 1 ? ` (and ${count - 1} more here)` : ""}`;
      const parts = [make("title", {}, said)], at = x(loud.time);
      const reach = lane.error ? x(loud.time + lane.error) - at : 0;
      if (reach > 2 && reach < WIDTH) {
        parts.push(make("path", { class: "error-bar", d: `M${Math.max(at - reach, LABELS)} ${LANE / 2 - 3}v6m0-3H${Math.min(at + reach, WIDTH - RIGHT)}m0-3v6` }));
      }
      parts.push(make("path", { class: `mark ${loud.severity}`, d: `M${at} ${LANE / 2}${SHAPES[loud.severity]}` }));
      yield link ? make("a", { href: `#${link}`, "aria-label": said }, ...parts) : make("g", {}, ...parts);
    }
  }

  function* drawLane(lane, least) {
    yield make("rect", { class: "row", x: 0, y: 1, width: WIDTH, height: LANE - 2 });
    const short = lane.name.length > 24 ? `${lane.name.slice(0, 11)}…${lane.name.slice(-12)}` : lane.name;
    yield make("text", { class: "name", x: 6, y: 13 }, short, make("title", {}, lane.said));
    const tasks = lane.tasks.join(", ");
    yield make("text", { class: "task", x: 6, y: 25 }, tasks.length > 28 ? `${tasks.slice(0, 27)}…` : tasks);
    if (lane.alive && lane.alive[1] >= view.start && lane.alive[0] <= view.end) {
      const left = x(inside(lane.alive[0])), right = x(inside(lane.alive[1]));
      yield make("rect", { class: "alive", x: left, y: 12, width: Math.max(right - left, 1), height: 6 });
    }
    if (lane.silent !== null && lane.silent < view.end) {
      const left = x(inside(lane.silent)), right = x(view.end);
      yield make("rect", { class: "silent", x: left, y: 7, width: right - left, height: 16, rx: 2 }, make("title", {}, "silent from here on"));
      if (right - left > 45) yield make("text", { class: "task", x: right - 6, y: 19, "text-anchor": "end" }, "silent");
    }
    const steps = lane.steps.filter(([time]) => time >= view.start && time <= view.end);
    if (steps.length > 1) {
      const low = Math.min(...steps.map((one) => one[1])), high = Math.max(...steps.map((one) => one[1]));
      const points = steps.map(([time, step]) => `${x(time).toFixed(1)},${(LANE - 4 - ((LANE - 9) * (step - low)) / (high - low || 1)).toFixed(1)}`);
      yield make("polyline", { class: "steps", points: points.join(" ") }, make("title", {}, `steps ${low} to ${high}`));
    }
    yield* drawMarks(lane, least);
  }

  const rootShown = () => root !== null && root >= view.start && root <= view.end;

  function* drawAxis(height) {
    const size = view.end - view.start;
    const power = 10 ** Math.floor(Math.log10(size / 8));
    const nice = size < 8 ? [1, 2, 5, 10].map((n) => n * power) : [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800];
    const step = nice.find((n) => size / n <= 8) ?? size / 8;
    const digits = step >= 1 ? 0 : 4;
    for (let tick = Math.ceil(view.start / step); tick * step < view.end; tick += 1) {
      const at = x(tick * step);
      yield make("path", { class: "grid", d: `M${at} ${TOP}V${height - BOTTOM}` });
      if (!rootShown() || Math.abs(at - x(root)) > 70) {
        yield make("text", { class: "tick", x: at, y: TOP - 10, "text-anchor": "middle" }, clock(tick * step, digits));
      }
    }
    if (root === null) return;
    for (let tick = Math.ceil((view.start - root) / step); root + tick * step < view.end; tick += 1) {
      const at = x(root + tick * step), by = tick * step;
      if (at < LABELS + 20 || at > WIDTH - RIGHT - 20) continue;
      yield make("text", { class: "tick", x: at, y: height - 8, "text-anchor": "middle" }, `${by > 0 ? "+" : by < 0 ? "−" : ""}${length(Math.abs(by))}`);
    }
  }

  function* drawRoot(height) {
    if (rootShown()) {
      yield make("path", { class: "root-line", d: `M${x(root)} ${TOP - 6}V${height - BOTTOM}` });
      yield make("text", { class: "root-label", x: x(root), y: TOP - 10, "text-anchor": "middle" }, "first cause");
    }
  }

  const draw = () => {
    const wanted = $("zoom-node").value.trim().toLowerCase(), least = Number($("zoom-severity").value);
    const fold = $("zoom-fold"), candidates = !wanted && fold && fold.checked ? folded : lanes;
    const matching = candidates.filter((lane) => !wanted || `${lane.name} ${lane.tasks.join(" ")}`.toLowerCase().includes(wanted));
    const shown = (drawn = matching.slice(0, MOST)), height = TOP + LANE * shown.length + BOTTOM;
    detail.replaceChildren(
      ...drawAxis(height),
      ...shown.map((lane, index) => make("g", { class: lane.culprit ? "lane culprit" : "lane", transform: `translate(0 ${TOP + index * LANE})` }, ...drawLane(lane, least))),
      ...drawRoot(height),
    );
    detail.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    heading.textContent = view.start === first.start && view.end === first.end ? title : "The selected time";
    detail.dataset.start = view.start;
    detail.dataset.end = view.end;
    const digits = view.end - view.start < 60 ? 4 : 0;
    $("zoom-said").textContent = `${clock(view.start, digits)} to ${clock(view.end, digits)} UTC (${length(view.end - view.start)}), ${candidates === folded ? `${lanes.length} nodes in ${folded.length} lanes` : `${shown.length} of ${lanes.length} nodes`}`;
    if (overview !== detail) {
      overview.querySelector(".brushed")?.remove();
      const at = (time) => LABELS + ((WIDTH - LABELS - RIGHT) * (time - whole.start)) / (whole.end - whole.start);
      overview.append(make("rect", { class: "brushed", x: at(view.start), y: TOP - 4, width: Math.max(at(view.end) - at(view.start), 1), height: overview.viewBox.baseVal.height - TOP - BOTTOM + 8 }));
    }
  };

  const show = (start, end) => {
    const size = Math.min(Math.max(end - start, LEAST), whole.end - whole.start);
    const begin = Math.min(Math.max((start + end - size) / 2, whole.start), whole.end - size);
    view = { start: begin, end: begin + size };
    draw();
  };
  const scale = (factor) => {
    const middle = (view.start + view.end) / 2, half = ((view.end - view.start) * factor) / 2;
    show(middle - half, middle + half);
  };
  const move = (share) => {
    const by = Math.min(Math.max((view.end - view.start) * share, whole.start - view.start), whole.end - view.end);
    show(view.start + by, view.end + by);
  };
  const reset = () => { view = { ...first }; draw(); };  // it may reach a little beyond the whole run
  const ACTIONS = { in: () => scale(0.5), out: () => scale(2), back: () => move(-0.25), on: () => move(0.25), reset };
  const KEYS = { "+": "in", "=": "in", "-": "out", ArrowLeft: "back", ArrowRight: "on", 0: "reset", Escape: "reset" };

  for (const button of controls.querySelectorAll("button")) button.addEventListener("click", ACTIONS[button.value]);
  caption.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    ACTIONS[KEYS[event.key]]();
  });
  $("zoom-node").addEventListener("input", draw);
  $("zoom-severity").addEventListener("change", draw);
  $("zoom-fold")?.addEventListener("change", draw);

  const row = (mark) => {
    const line = document.createElement("div"), place = document.createElement("span"), code = document.createElement("code");
    line.className = "row";
    place.className = "no";
    place.textContent = `${clock(mark.time, 4)} ${mark.node}`;
    code.textContent = mark.text;
    code.title = mark.line === null ? mark.file : `${mark.file}:${mark.line}`;
    const signals = document.createElement("small");
    signals.textContent = [...mark.signals].join(", ");
    line.append(place, code, signals);
    return line;
  };
  const openPanel = (...parts) => {
    const panel = $("marked");
    panel.replaceChildren(...parts);
    panel.hidden = false;
    panel.focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest" });
  };
  const laneAt = (y) => drawn[Math.floor((((y - detail.getBoundingClientRect().top) * WIDTH) / detail.getBoundingClientRect().width - TOP) / LANE)];
  const openName = (lane) => {
    const caption = document.createElement("figcaption"), name = document.createElement("b"), nodes = document.createElement("span");
    name.textContent = lane.name;
    nodes.textContent = (lane.members || lane.tasks).join(", ");
    caption.append(name, nodes);
    openPanel(caption);
  };
  const openLines = (mark) => {
    const shape = mark.querySelector("path.mark").getBoundingClientRect(), box = detail.getBoundingClientRect();
    const scale = WIDTH / box.width, at = (shape.left + shape.width / 2 - box.left) * scale;
    const lane = laneAt(shape.top + shape.height / 2);
    if (!lane) return false;
    const near = lane.marks.filter((one) => SHAPES[one.severity] && one.time >= view.start && one.time <= view.end && Math.abs(x(one.time) - at) <= BIN);
    if (!near.length) return false;
    near.sort((a, b) => a.time - b.time);
    const caption = document.createElement("figcaption"), lines = document.createElement("div"), name = document.createElement("b");
    name.textContent = lane.name;
    caption.append(name, `${near.length.toLocaleString("en")} ${near.length === 1 ? "line" : "lines"} at this mark${near.length > MOST_LINES ? `, the first ${MOST_LINES} of them` : ""}`);
    const href = mark.getAttribute("href");
    if (href) {
      const link = document.createElement("a");
      link.setAttribute("href", href);
      link.textContent = "In the cascade";
      caption.append(link);
    }
    lines.className = "lines";
    lines.append(...near.slice(0, MOST_LINES).map(row));
    openPanel(caption, lines);
    return true;
  };
  const LABEL = "text.name, text.name ~ text.task";
  detail.addEventListener("click", (event) => {
    const named = event.target.closest(LABEL) && laneAt(event.clientY);
    if (named) return openName(named);
    const mark = event.target.closest("a, g");
    if (mark?.querySelector(":scope > path.mark") && openLines(mark)) event.preventDefault();
    return undefined;
  });

  const timeAt = (svg, event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const { start, end } = span(svg);
    return start + ((Math.min(Math.max(point.x, LABELS), WIDTH - RIGHT) - LABELS) / (WIDTH - LABELS - RIGHT)) * (end - start);
  };
  for (const svg of new Set([detail, overview])) {
    let from = null, band = null;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button || event.pointerType === "touch" || event.target.closest(LABEL) || event.target.closest("a, g")?.querySelector(":scope > path.mark")) return;  // a finger scrolls
      from = timeAt(svg, event);
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    svg.addEventListener("pointermove", (event) => {
      if (from === null) return;
      const { start, end } = span(svg), to = timeAt(svg, event);
      const at = (time) => LABELS + ((WIDTH - LABELS - RIGHT) * (time - start)) / (end - start);
      band?.remove();
      band = make("rect", { class: "brush", x: at(Math.min(from, to)), y: TOP - 4, width: Math.abs(at(to) - at(from)), height: svg.viewBox.baseVal.height - TOP - BOTTOM + 8 });
      svg.append(band);
    });
    const end = (event) => {
      if (from === null) return;
      const to = timeAt(svg, event), { start, end: last } = span(svg), begin = from;
      from = null;
      band?.remove();
      if (Math.abs(to - begin) > (last - start) / 200) show(Math.min(begin, to), Math.max(begin, to));
    };
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", () => { from = null; band?.remove(); });
    svg.addEventListener("dblclick", reset);
  }
  controls.hidden = false;
})();
