// Adds the lines of a running job as they come; without scripts the page shows the last ones.
"use strict";
const log = document.getElementById("log");
const outcome = document.getElementById("outcome");
if (log && window.EventSource) {
  const source = new EventSource(log.dataset.events);
  let first = true;
  source.onmessage = (event) => {
    if (first) { log.textContent = ""; first = false; }
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
    log.append(event.data + "\n");
    if (atEnd) { log.scrollTop = log.scrollHeight; }
  };
  source.addEventListener("ended", (event) => {
    source.close();
    outcome.textContent = outcome.dataset.ended + " " + event.data;
  });
}
