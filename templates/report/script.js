// The report reads without this: it adds a choice of time zone, copying, and opening what is folded.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  document.querySelector(".tools").hidden = false;

  const times = [...document.querySelectorAll("time")].map((element) => [element, element.textContent, new Date(element.dateTime)]);
  const local = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });
  const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" });
  const nameOf = (date) => zone.formatToParts(date).find((part) => part.type === "timeZoneName").value;
  const east = (date, seconds) => new Date(date.getTime() + seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
  const sign = (seconds) => `${seconds < 0 ? "-" : "+"}${new Date(Math.abs(seconds) * 1000).toISOString().slice(11, 16)}`;
  const said = (date, kind) =>
    kind === "local"
      ? [local.format(date), nameOf(date)]
      : [east(date, Number(kind)), sign(Number(kind))];
  const showTimes = (kind) => {
    for (const [element, utc, date] of times) {
      if (kind === "utc" || Number.isNaN(date.getTime())) {
        element.textContent = utc;
        continue;
      }
      const [clock, name] = said(date, kind);
      const fraction = utc.includes(".") ? `.${String(date.getMilliseconds()).padStart(3, "0")}` : "";
      element.textContent = `${clock}${fraction} ${name}`;
    }
  };
  $("zone").addEventListener("change", (event) => showTimes(event.target.value));

  const say = (words) => {
    $("said").textContent = words;
    setTimeout(() => { $("said").textContent = ""; }, 4000);
  };
  // file:// has no navigator.clipboard in some browsers: select a copy of the text and let the browser copy that.
  const copyBySelection = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  const copy = async (text, done, otherwise) => {
    try {
      await navigator.clipboard.writeText(text);
      say(done);
    } catch {
      say(copyBySelection(text) ? done : otherwise);
    }
  };
  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", () =>
      copy($(button.dataset.from).textContent, `Copied as ${button.dataset.kind}`, "Copying is not allowed here: open “Text for a ticket”"));
  }
  for (const command of document.querySelectorAll("code.command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-command";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy the command ${command.textContent}`);
    button.addEventListener("click", () => copy(command.textContent, "Copied the command", "Copying is not allowed here: select the command"));
    command.after(button);
  }

  $("unfold").addEventListener("click", (event) => {
    const open = event.target.getAttribute("aria-pressed") !== "true";
    for (const details of document.querySelectorAll("main details")) details.open = open;
    event.target.setAttribute("aria-pressed", String(open));
    event.target.textContent = open ? "Close all" : "Open all";
  });

  for (const lines of document.querySelectorAll(".last .lines")) lines.scrollTop = lines.scrollHeight;

  // A link may lead to a line inside something folded.
  const reveal = () => {
    const target = location.hash && $(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
