/** Asks about once a second how the limits stand, and shows it. Reads only; all text of others is set as text. */

import { Detail, History } from "./detail.js";
import { element, replace, Table, write } from "./table.js";
import { clock, date, lasting, notes, sentence, shown, whole } from "./words.js";

/**
 * The page keeps step with the node, so that what is new is not a second late: it asks in short steps until the node has looked anew, then a little more often than
 * the node looks, and in short steps again where it was too early. So many steps in a row are enough.
 */
const EVERY_MILLIS = 950;
const STEP_MILLIS = 150;
const MOST_STEPS = 8;
const PATIENCE_MILLIS = 4000;
/** One answer may be late. */
const LOST_MILLIS = 2500;
const FEW = 50;
const MANY = 200;
const MOST_MEMBERS = 12;

const at = (id) => document.getElementById(id);
const table = new Table();
const detail = new Detail();
const history = new History();

const page = { data: null, seen: 0, problem: "", paused: false, limits: FEW, filter: "", open: null, opened: null, asking: null, timer: 0, inStep: false, steps: 0 };

class NotData extends Error {}

async function get(query, signal) {
  const answer = await fetch(`data?${new URLSearchParams(query)}`, { signal, redirect: "manual", headers: { Accept: "application/json" } });
  if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) throw new NotData("You are not signed in, or may not see this page");
  if (!answer.ok) throw new NotData(answer.status === 503 ? "The node has nothing to show yet" : `The node answers with status ${answer.status}`);
  try {
    return await answer.json();
  } catch (e) {
    if (signal.aborted) throw e;
    throw new NotData("What answers is not this console");
  }
}

/** A limit that is open and that the list leaves out is asked for by its name. */
async function opened(data, signal) {
  if (page.open === null) return null;
  const of = (list) => list.find((each) => each.name === page.open) ?? null;
  const listed = of(data.limits.list);
  if (listed) return listed;
  const more = await get({ limits: MANY, filter: page.open.slice(0, 64) }, signal);
  const found = of(more.limits.list);
  if (found) history.addOne(more, found);
  return found;
}

/** After an answer, which is of a new look or of the last one again. */
function keepStep(isNew) {
  const stepping = page.steps > 0;
  if (isNew && stepping || page.steps >= MOST_STEPS) {
    page.inStep = true;
    page.steps = 0;
  } else if (!isNew || !page.inStep) {
    page.inStep = false;
    page.steps++;
  }
}

/** Out of turn, and so out of step. */
function askNow() {
  page.inStep = false;
  page.steps = 0;
  ask();
}

async function ask() {
  clearTimeout(page.timer);
  page.asking?.abort();
  page.asking = null;
  if (page.paused || document.hidden) return;
  const asking = page.asking = new AbortController();
  const patience = setTimeout(() => asking.abort(), PATIENCE_MILLIS);
  const began = performance.now();
  try {
    const data = await get({ limits: page.limits, filter: page.filter }, asking.signal);
    history.add(data);
    page.opened = await opened(data, asking.signal);
    if (asking !== page.asking) return;
    keepStep(data.tick !== page.data?.tick);
    Object.assign(page, { data, seen: performance.now(), problem: "" });
  } catch (e) {
    if (asking !== page.asking) return;
    page.inStep = false;
    page.steps = 0;
    page.problem = e instanceof NotData ? e.message : "The node does not answer";
  } finally {
    clearTimeout(patience);
  }
  page.timer = setTimeout(ask, page.inStep || page.problem ? Math.max(100, EVERY_MILLIS - (performance.now() - began)) : STEP_MILLIS);
  show();
}

function say(tone, before, ticking = "", after = "") {
  at("top").dataset.tone = tone;
  const line = at("sentence");
  if (line.children.length === 0) {
    const unheard = element("span");
    unheard.ariaHidden = "true"; // seconds that tick are not read out each second
    line.replaceChildren(document.createTextNode(""), unheard, document.createTextNode(""));
  }
  const [first, middle, last] = line.childNodes;
  if (first.data !== before) first.data = before;
  write(middle, ticking);
  if (last.data !== after) last.data = after;
  const word = { trouble: "Degraded – ", lost: "Lost – ", notice: "Note – " }[tone] ?? "";
  if (document.title !== `${word}Weir`) document.title = `${word}Weir`;
}

function showSentence() {
  const { data, problem, paused, seen } = page;
  const now = performance.now();
  const stale = data !== null && now - seen > LOST_MILLIS;
  document.body.classList.toggle("stale", paused || stale);
  if (paused) {
    say("notice", data ? `Paused: this is how it was at ${clock(new Date(data.time))}.` : "Paused before anything was seen.");
  } else if (data === null) {
    if (problem) say("lost", `${problem}. Trying again.`);
  } else if (stale && problem) {
    say("lost", `Connection lost, last seen at ${clock(new Date(data.time))}`, `, ${lasting((now - seen) / 1000)} ago`, `. ${problem}.`);
  } else {
    const { tone, before, ticking, after } = sentence(data);
    say(tone, before, ticking, after);
  }
}

const MEMBER_WORDS = {
  REACHABLE: ["fine", "reachable", ""],
  UNREACHABLE: ["trouble", "unreachable", "for "],
  SILENT: ["notice", "silent", "for "],
  LEFT: ["notice", "left", ""],
};

function member(each) {
  const [tone, word, link] = MEMBER_WORDS[each.state] ?? ["notice", shown(each.state), ""];
  const time = each.seconds === null || each.state === "REACHABLE" ? "" : ` ${link}${lasting(each.seconds)}${each.state === "LEFT" ? " ago" : ""}`;
  const made = element("li", "", element("span", "name", shown(each.name)), element("b", "word", word), element("span", "time", time));
  made.dataset.tone = tone;
  if (each.here) made.append(element("span", "what", "this page"));
  if (each.fallbackSeconds > 0) made.append(element("span", "what", `degraded for ${lasting(each.fallbackSeconds)} in all`));
  if (each.why) made.append(element("span", "why", shown(each.why)));
  return made;
}

function showMembers({ members }) {
  const calm = (each) => each.state === "REACHABLE" && !each.here;
  const first = [...members].sort((a, b) => calm(a) - calm(b));
  const rows = (members.length > MOST_MEMBERS ? first.slice(0, Math.max(MOST_MEMBERS, first.filter((each) => !calm(each)).length)) : members).map(member);
  if (rows.length < members.length) rows.push(element("li", "", `and ${members.length - rows.length} more, reachable`));
  replace(at("members"), ...rows);
}

function showCount({ total, matching, list }) {
  const of = matching === total ? whole(total) : `${whole(matching)} that match, of ${whole(total)}`;
  write(at("count"), list.length === matching && matching === total ? of : `${whole(list.length)} of ${of}`);
  at("more").hidden = page.limits === MANY || list.length >= matching;
  at("limits").hidden = list.length === 0;
  at("foot").hidden = list.length === 0;
  at("none").hidden = list.length > 0;
  write(at("none"), total === 0 ? "No node has a limit yet. A limit appears here when an application has one built in." : `No limit's name contains “${shown(page.filter)}”.`);
}

function line(...cells) {
  const row = element("tr");
  for (const [text, className] of cells) row.append(element("td", className, text));
  return row;
}

function showPenalties({ penalties, time }) {
  at("penalties").hidden = penalties.length === 0;
  replace(at("penalty-rows"), ...penalties.map((each) => {
    const until = new Date(each.until);
    const left = lasting((until - new Date(time)) / 1000);
    return line([shown(each.key), "text"], [shown(each.limit), "text"], [`${clock(until)}, ${left} more`], [whole(each.level), "number"], [shown(each.reason ?? ""), "text"]);
  }));
}

const QUOTA_POLICIES = { DENY: "denies", GRANT: "grants" };

function showQuotas({ quotas, time }) {
  at("quotas").hidden = quotas.length === 0;
  replace(at("quota-rows"), ...quotas.map((each) => {
    const resets = new Date(each.resetsAt);
    const left = lasting((resets - new Date(time)) / 1000);
    const cap = `${whole(each.cap)}${each.unit ? ` ${shown(each.unit)}` : ""}`;
    return line([shown(each.name), "text"], [cap, "number"], [`${shown(each.period).toLowerCase()}, ${shown(each.zone)}`], [`${date(resets)}, in ${left}`],
      [QUOTA_POLICIES[each.policy] ?? shown(each.policy).toLowerCase().replaceAll("_", " ")]);
  }));
}

function show() {
  showSentence();
  const { data } = page;
  if (!data || page.problem) return;
  write(at("notes"), notes(data));
  showMembers(data.cluster);
  showCount(data.limits);
  table.show(data.limits.list, page.open);
  if (page.open !== null) detail.show(page.opened, data.limits.list, history);
  showPenalties(data);
  showQuotas(data);
  write(at("node"), shown(data.node));
  write(at("time"), clock(new Date(data.time)));
  at("time").dateTime = data.time;
  write(at("tick"), String(data.tick));
}

/** What is open is in the address: the way back closes it, and it can be sent to somebody. */
function openAsAddressed(focus) {
  const before = page.open;
  page.open = new URLSearchParams(location.hash.slice(1)).get("limit");
  page.opened = page.data?.limits.list.find((each) => each.name === page.open) ?? null;
  at("columns").classList.toggle("open", page.open !== null);
  if (page.open !== null) {
    detail.open(page.open, focus);
  } else {
    detail.close();
    if (before !== null) table.focus(before);
  }
  show();
  if (page.open !== null && page.opened === null) askNow();
}

addEventListener("hashchange", () => openAsAddressed(true));
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && page.open !== null && event.target !== at("filter")) location.hash = "";
});
at("close").addEventListener("click", (event) => {
  event.preventDefault(); // or it would scroll to the top
  location.hash = "";
});
at("pause").addEventListener("click", () => {
  page.paused = !page.paused;
  at("pause").setAttribute("aria-pressed", String(page.paused));
  showSentence();
  askNow();
});
at("filter").addEventListener("input", (event) => {
  page.filter = event.target.value;
  clearTimeout(page.timer);
  page.timer = setTimeout(askNow, 150);
});
at("more").addEventListener("click", () => {
  page.limits = MANY;
  askNow();
});
document.addEventListener("visibilitychange", askNow);
setInterval(showSentence, 1000);

openAsAddressed(false);
askNow();
