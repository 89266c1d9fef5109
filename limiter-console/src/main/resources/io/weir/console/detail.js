/** One limit, opened: a chart of the last minutes and what else is known of it. */

import { element, numbers, replace, write } from "./table.js";
import { clock, count, lasting, percent, POLICIES, rate, refill, seconds, shown, SOURCES, state, whole } from "./words.js";

const LONGEST_SECONDS = 300;

/** What each limit has granted and denied per second since the page was opened, for the last five minutes. */
export class History {
  #byName = new Map();
  #tick;

  add(data) {
    const time = Date.parse(data.time) / 1000;
    if (data.tick === this.#tick || Number.isNaN(time)) return;
    this.#tick = data.tick;
    for (const limit of data.limits.list) this.addOne(data, limit);
    for (const [name, points] of this.#byName) {
      while (points.length > 0 && points[0][0] < time - LONGEST_SECONDS) points.shift();
      if (points.length === 0) this.#byName.delete(name);
    }
  }

  /** One more point of a limit. Nodes' clocks may differ where one is asked after the other: what is not later is left out. */
  addOne(data, limit) {
    const points = this.#of(limit.name);
    const time = Date.parse(data.time) / 1000;
    if (points.length === 0 || points.at(-1)[0] < time) points.push([time, limit.rate.granted, limit.rate.denied]);
  }

  /** Columns, as the chart wants them. */
  columns(name) {
    const points = this.#byName.get(name) ?? [];
    return [0, 1, 2].map((column) => points.map((each) => each[column]));
  }

  #of(name) {
    if (!this.#byName.has(name)) this.#byName.set(name, []);
    return this.#byName.get(name);
  }
}

/** The least that one key is refilled with in a second, over long. */
const slowest = (limit) => Math.min(...limit.bandwidths.map((each) => each.refill / seconds(each.period)));

const colour = (name) => getComputedStyle(document.querySelector(`#legend .${name} i`)).color;

/** uPlot, in the page's colours. It draws on a canvas: what it shows is also said in words. */
class Chart {
  #host = document.getElementById("chart");
  #plot;
  #name;
  #columns = [[], [], [], []];
  #limit;

  constructor() {
    new ResizeObserver(() => this.#plot?.setSize(this.#size())).observe(this.#host);
    for (const each of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(each).addEventListener("change", () => this.#rebuild());
    }
  }

  show(limit, [times, granted, denied]) {
    const line = slowest(limit);
    const highest = Math.max(1, ...granted.map(Number), ...denied.map(Number));
    const fits = line <= 4 * highest;
    this.#columns = [times, granted, denied, times.map(() => (fits ? line : null))];
    this.#limit = limit;
    write(document.getElementById("legend-refill"), `refill of one key ${rate(line)}${fits ? "" : ", above the chart"}`);
    if (this.#name !== limit.name || !this.#plot) {
      this.#name = limit.name;
      this.#rebuild();
    } else {
      this.#plot.setData(this.#columns);
      this.#say(this.#plot.cursor.idx);
    }
  }

  #size() {
    return { width: Math.max(200, this.#host.clientWidth), height: 200 };
  }

  #rebuild() {
    if (!this.#limit || !globalThis.uPlot) return;
    this.#plot?.destroy();
    const quiet = getComputedStyle(this.#host).color;
    const axis = { stroke: quiet, grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const series = (name, more) => ({ stroke: colour(name), width: 2, points: { show: false }, ...more });
    this.#plot = new uPlot({
      ...this.#size(),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: true, range: (_, least, most) => [Math.min(least, most - 120), most] }, y: { range: (_, least, most) => [0, Math.max(1, most * 1.1)] } },
      axes: [
        { ...axis, size: 28, values: (_, at) => at.map((each) => clock(new Date(each * 1000))), space: 80 },
        { ...axis, size: 52, values: (_, at) => at.map((each) => (each === 0 ? "0" : rate(each).replace(/\.0$/, ""))) },
      ],
      series: [{}, series("granted"), series("denied", { dash: [6, 3] }), series("refill", { width: 1, dash: [2, 3] })],
      hooks: { setCursor: [(plot) => this.#say(plot.cursor.idx)] },
    }, this.#columns, this.#host);
    this.#say();
  }

  /** The values at the pointer, or the last ones. */
  #say(at) {
    const [times, granted, denied] = this.#columns;
    const index = at ?? times.length - 1;
    write(document.getElementById("legend-granted"), rate(granted[index]));
    write(document.getElementById("legend-denied"), rate(denied[index]));
    write(document.getElementById("legend-time"), index < 0 ? "" : `a second, at ${clock(new Date(times[index] * 1000))}`);
    const most = (column) => rate(Math.max(0, ...column.map(Number)));
    const length = times.length > 1 ? lasting(times.at(-1) - times[0]) : "moment";
    this.#host.setAttribute("aria-label", `Granted and denied per second over the last ${length}: at most ${most(granted)} granted and ${most(denied)} denied.`);
  }
}

function table(title, heads, rows) {
  const made = element("table", "", element("caption", "", title));
  const headRow = made.createTHead().insertRow();
  for (const [text, className] of heads) {
    const head = element("th", className, text);
    head.scope = "col";
    headRow.append(head);
  }
  const body = made.createTBody();
  for (const row of rows) {
    const made = body.insertRow();
    row.forEach((text, at) => made.append(element("td", heads[at][1], text)));
  }
  return made;
}

const NUMBER = "number";

function bandwidths(limit) {
  return table("Bandwidths of one key", [["Name"], ["Capacity", NUMBER], ["Refill", NUMBER]],
    limit.bandwidths.map((each) => [shown(each.name), whole(each.capacity), refill(each)]));
}

function busiest(limit) {
  if (limit.busiest.length === 0) return element("p", "empty", "No key has been seen to be busy. Keys are shown where the application watches them.");
  return table("Busiest keys", [["Key", "text"], ["Asked", NUMBER], ["Denied", NUMBER], ["Headroom", NUMBER]],
    limit.busiest.map((each) => [shown(each.key), whole(each.asked), whole(each.denied), percent(each.headroom)]));
}

function answered(limit) {
  const sum = Object.values(limit.sources).reduce((all, each) => all + (each ?? 0), 0);
  const rows = Object.keys(SOURCES).filter((each) => limit.sources[each] > 0).map((each) => {
    const swatch = element("i", `swatch source-${each}`);
    return [element("span", "", swatch, SOURCES[each]), rate(limit.sources[each]), percent(limit.sources[each] / sum)];
  });
  return rows.length === 0 ? null : table("Answered from", [["Source"], ["A second", NUMBER], ["Part", NUMBER]], rows);
}

/** A limit and its shadows, or a shadow and its limit, side by side. */
function beside(limit, all) {
  const live = limit.shadowOf ?? limit.name;
  const rows = all.filter((each) => each.name === live || each.shadowOf === live);
  if (!rows.some((each) => each.name === limit.name)) rows.push(limit);
  if (rows.length < 2) return limit.shadowOf ? element("p", "empty", `It shadows ${shown(limit.shadowOf)}, which is not among the limits shown.`) : null;
  return table("Limit and shadow, in a second", [["Name"], ["Granted", NUMBER], ["Denied", NUMBER], ["Denied in all", NUMBER]],
    rows.map((each) => [`${shown(each.name)}${each.shadowOf ? ", shadow" : ""}`, rate(each.rate.granted), rate(each.rate.denied), whole(each.total.denied)]));
}

export class Detail {
  #section = document.getElementById("detail");
  #title = document.getElementById("detail-title");
  #chart;

  /** Opens it; the focus goes there if somebody asked for it on this page. */
  open(name, focus) {
    write(this.#title, shown(name));
    write(document.getElementById("detail-state"), "");
    document.getElementById("facts").replaceChildren();
    this.#section.hidden = false;
    if (focus) this.#title.focus();
  }

  close() {
    this.#section.hidden = true;
  }

  /** @param limit what is known of it now; nothing if no node has said anything of it */
  show(limit, all, history) {
    if (!limit) {
      write(document.getElementById("detail-state"), "No node tells of this limit now.");
      return;
    }
    this.#chart ??= new Chart();
    this.#chart.show(limit, history.columns(limit.name));
    const { word, more } = state(limit);
    const policy = POLICIES[limit.policy] ?? shown(limit.policy);
    const counted = `${shown(limit.algorithm).toLowerCase().replaceAll("_", " ")}, ${numbers(limit)}, version ${whole(limit.version)}`;
    const said = [
      `${word[0].toUpperCase()}${word.slice(1)}${more ? `: ${more}` : ""}.`,
      limit.why ? `Why: ${shown(limit.why)}.` : "",
      limit.answeredByPolicy > 0 ? `${count(limit.answeredByPolicy, "request")} answered by policy.` : "",
      limit.fallbackSeconds > 0 ? `Degraded for ${lasting(limit.fallbackSeconds)} altogether.` : "",
      limit.differs ? "Nodes have different versions or numbers of it." : "",
      `Each key: ${counted}.`,
      limit.exact ? "Every grant by its bucket itself." : "",
      `Without its owner it ${policy}.`,
      `Since the nodes started: ${whole(limit.total.granted)} granted, ${whole(limit.total.denied)} denied${limit.total.never > 0 ? `, ${whole(limit.total.never)} for more than a key can ever have` : ""}.`,
    ];
    write(document.getElementById("detail-state"), said.filter(Boolean).join(" "));
    replace(document.getElementById("facts"), busiest(limit), beside(limit, all), answered(limit), bandwidths(limit));
  }
}
