// Draws the table of rates, which is there without scripts too.
"use strict";
const HEIGHT = 130;
const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name);
const clock = (at) => new Date(at * 1000).toISOString().slice(11, 16);
const written = new Intl.NumberFormat(document.documentElement.lang);
let drawn = [];
function draw() {
  const table = document.getElementById("rates"), place = document.getElementById("plots");
  if (!table) { return; }
  const rows = [...table.tBodies[0].rows].reverse();
  const times = rows.map((row) => Number(row.querySelector("time").dataset.at));
  const labels = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
  const columns = labels.map((_, i) => rows.map((row) => Number(row.querySelectorAll("data")[i].value)));
  if (!place.firstChild) { drawn = labels.map((label) => plot(place, label)); }
  drawn.forEach((one, i) => { one.setData([times, columns[i]]); });
}
function plot(place, label) {
  const box = document.createElement("div"), title = document.createElement("p"), value = document.createElement("b");
  title.append(`${label} `, value);
  box.append(title);
  place.append(box);
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px sans-serif" };
  const shown = (u) => {
    const at = u.cursor.idx ?? u.data[0].length - 1;
    value.textContent = u.data[1].length ? written.format(u.data[1][at]) : "";
    if (u.cursor.idx != null) { value.textContent += ` (${clock(u.data[0][at])})`; }
  };
  const made = new uPlot({
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false }, sync: { key: "rates" } },
    hooks: { setCursor: [shown], setData: [shown] },
    scales: { y: { range: (u, low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      { ...axis, space: 60, size: 24, incrs: [60, 300, 600, 900], values: (u, times) => times.map(clock) },
      { ...axis, space: 30, size: 48, values: (u, numbers) => numbers.map((n) => written.format(n)) },
    ],
    series: [{}, { stroke: colour("--link"), width: 2, points: { show: false } }],
  }, [[], []], box);
  new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: HEIGHT })).observe(box);
  return made;
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.forEach((one) => one.redraw()));
document.getElementById("live").addEventListener("merged", draw);
draw();
