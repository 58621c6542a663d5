// One search over all text of the report, and a filter by node: rows, items and excerpts without the words are hidden.
// The verdict stays, but for the rows and lanes of nodes with another name. Without this, the report is complete.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const ITEMS = "tbody tr, li, .groups > details, details[data-node], #unknown > details, #candidates > details, article, figure.passage";
  const MOST_OPENED = 40;
  const sections = [...document.querySelectorAll("main > section")].filter((section) => section.id !== "verdict" && section.id !== "ticket");
  const members = [...document.querySelectorAll("#verdict .ends tbody tr, #verdict svg.mini [data-node]")].map((element) => ({
    element, text: `${element.dataset.node} ${element.querySelector("th")?.textContent ?? ""}`.toLowerCase(),
  }));
  let index = null, opened = [];

  // The text of each item, read once. An item inside another one belongs to it, too.
  const read = () => sections.map((section) => ({
    section,
    items: [...section.querySelectorAll(ITEMS)].map((element) => ({ element, text: element.textContent.toLowerCase() })),
  }));

  const search = () => {
    index ??= read();
    const name = $("find-node").value.trim().toLowerCase();
    for (const { element, text } of members) element.classList.toggle("filtered-out", !text.includes(name));
    const words = [$("find"), $("find-node")].map((input) => input.value.trim().toLowerCase()).filter(Boolean);
    for (const details of opened) details.open = false;
    opened = [];
    let found = 0;
    for (const { section, items } of index) {
      let here = 0;
      for (const { element, text } of items) {
        const shown = words.every((word) => text.includes(word)) || (words.length && element.closest("details.how"));
        const inside = !shown && element.parentElement.closest(ITEMS);
        element.classList.toggle("filtered-out", !shown && !(inside && inside.tagName === "FIGURE"));
        here += shown && words.length ? 1 : 0;
        if (shown && words.length && element.tagName === "DETAILS" && !element.open && opened.length < MOST_OPENED) {
          element.open = true;
          opened.push(element);
        }
      }
      section.classList.toggle("nothing-found", words.length > 0 && items.length > 0 && !here);
      found += here;
    }
    $("said").textContent = words.length ? `${found.toLocaleString("en")} places` : "";
  };

  // Read when the field is entered, so that the first key does not wait for it.
  for (const id of ["find", "find-node"]) $(id).addEventListener("focus", () => { index ??= read(); });
  $("find").addEventListener("input", search);
  $("find-node").addEventListener("input", () => {
    search();
    const zoom = $("zoom-node");
    if (zoom && zoom.value !== $("find-node").value) {
      zoom.value = $("find-node").value;
      zoom.dispatchEvent(new Event("input"));
    }
  });
})();
