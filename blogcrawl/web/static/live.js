// What changes while a page is open: the lines of a running job, and the page of crawls. Without
// scripts the pages are whole, and load themselves again.
"use strict";
const log = document.getElementById("log");
if (log && window.EventSource) {
  const source = new EventSource(log.dataset.events);
  let first = true;
  source.onmessage = (event) => {
    if (first) { log.textContent = ""; first = false; }
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
    log.append(event.data + "\n");
    if (atEnd) { log.scrollTop = log.scrollHeight; }
  };
  source.addEventListener("ended", () => {
    source.close();
    location.reload();  // the outcome, and where it leads
  });
}
const live = document.getElementById("live");
if (live && window.EventSource) {
  new EventSource(live.dataset.events).onmessage = (event) => {
    const fresh = document.createElement("template");
    fresh.innerHTML = event.data;
    merge(live, fresh.content);
    live.dispatchEvent(new Event("merged"));
  };
}
// Changes only what differs, so that focus and selection stay. What a script has drawn stays too.
function merge(old, fresh) {
  if (old.id === "plots") { return; }
  const before = solid(old), after = solid(fresh);
  if (before.length !== after.length || before.some((node, i) => node.nodeName !== after[i].nodeName)) {
    old.replaceChildren(...fresh.childNodes);
    return;
  }
  after.forEach((node, i) => {
    const known = before[i];
    if (node.nodeType !== Node.ELEMENT_NODE) {
      if (known.data !== node.data) { known.data = node.data; }
      return;
    }
    for (const { name, value } of node.attributes) {
      if (known.getAttribute(name) !== value) { known.setAttribute(name, value); }
    }
    merge(known, node);
  });
}
function solid(node) {
  return [...node.childNodes].filter((one) => one.nodeType === Node.ELEMENT_NODE || one.data.trim());
}
