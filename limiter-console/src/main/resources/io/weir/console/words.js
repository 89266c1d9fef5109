/** What is shown, in words: numbers, times, and the sentence at the top. Touches no page. */

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;
const LONGEST = 120;

/** Somebody else's text: of bounded length, and with what would be invisible, or turn the line round, written out. */
export function shown(text) {
  const all = String(text);
  const start = all.length > LONGEST ? `${all.slice(0, LONGEST)}…` : all;
  return start.replace(HIDDEN, (each) => `\\u${each.codePointAt(0).toString(16).padStart(4, "0")}`);
}

const ONE = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

/** What is not known is a dash, never zero. */
export function rate(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  if (value < 0.05) return "<0.1";
  if (value < 999.95) return ONE.format(value);
  return value < 1e6 ? WHOLE.format(value) : SHORT.format(value);
}

export function whole(value) {
  return value === null || value === undefined ? "–" : WHOLE.format(value);
}

export function percent(part) {
  return part === null || part === undefined ? "–" : `${WHOLE.format(100 * part)} %`;
}

/** "1 limit", "2 limits". */
export function count(number, one, many = `${one}s`) {
  return `${WHOLE.format(number)} ${number === 1 ? one : many}`;
}

/** Seconds as the two units that matter: "12 s", "4 min 10 s", "3 h 5 min", "2 d 1 h". */
export function lasting(seconds) {
  const left = Math.max(0, Math.round(seconds));
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const at = units.findIndex(([size]) => left >= size);
  if (at < 0) return "0 s";
  const [size, unit] = units[at];
  const rest = at + 1 < units.length ? Math.floor((left % size) / units[at + 1][0]) : 0;
  return `${Math.floor(left / size)} ${unit}${rest > 0 ? ` ${rest} ${units[at + 1][1]}` : ""}`;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const DATE = new Intl.DateTimeFormat("en-GB", {
  weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});

/** In the viewer's time zone. */
export const clock = (time) => (Number.isNaN(+time) ? "–" : CLOCK.format(time));
export const date = (time) => (Number.isNaN(+time) ? "–" : DATE.format(time));

/** An ISO-8601 duration in seconds, as Java writes it: PT0.1S, PT1H30M. */
export function seconds(period) {
  const parts = /^P(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/.exec(period) ?? [];
  return [86400, 3600, 60, 1].reduce((sum, size, i) => sum + size * Number(parts[i + 1] ?? 0), 0);
}

/** "50 a second", "1,000 in 30 s". */
export function refill(bandwidth) {
  const length = seconds(bandwidth.period);
  const named = { 1: "a second", 60: "a minute", 3600: "an hour", 86400: "a day" }[length];
  const many = WHOLE.format(bandwidth.refill);
  if (named) return `${many} ${named}`;
  return `${many} in ${length >= 1 ? lasting(length) : `${WHOLE.format(length * 1000)} ms`}`;
}

/** Sources in the order in which they are stacked: the usual first, the worst last. */
export const SOURCES = {
  LEASE: "lease",
  LOCAL: "this JVM",
  CLUSTER: "owner",
  DENY_CACHE: "deny cache",
  BLOCKED: "block",
  SWITCHED_OFF: "off, not counted",
  SHARE: "share",
  POLICY: "policy",
};

/** What of it is answered from where: the greatest two, in words. */
export function sources(rates) {
  const known = Object.keys(SOURCES).filter((each) => rates[each] > 0);
  const sum = known.reduce((all, each) => all + rates[each], 0);
  const parts = known.sort((a, b) => rates[b] - rates[a]).map((each) => `${SOURCES[each]} ${percent(rates[each] / sum)}`);
  return parts.length > 2 ? `${parts.slice(0, 2).join(", ")}, …` : parts.join(", ");
}

export const POLICIES = {
  DENY: "denies",
  GRANT: "grants",
  LOCAL_SHARE: "grants each node its share",
};

/** How a limit stands, the worst first; the first word is in colour. */
export function state(limit) {
  if (!limit.on) return { tone: "notice", word: "switched off", more: "grants everything" };
  if (limit.state === "DEGRADED") {
    const policy = POLICIES[limit.policy] ?? shown(limit.policy);
    return { tone: "trouble", word: "degraded", more: `its policy ${policy}` };
  }
  return { tone: "fine", word: "as written", more: limit.shadow ? "shadow, denies nobody" : "" };
}

const names = (members) => members.slice(0, 2).map((each) => shown(each.name)).join(" and ")
    + (members.length > 2 ? ` and ${members.length - 2} more` : "");
const longest = (members) => Math.max(0, ...members.map((each) => each.seconds ?? 0));

/**
 * The sentence that matters, for data of now. What ticks is apart: `text` is `before + ticking + after`, and a screen reader hears of it only when
 * `before` or `after` change.
 */
export function sentence(data) {
  const { cluster, limits } = data;
  const being = (state) => cluster.members.filter((each) => each.state === state);
  const [unreachable, silent, left] = [being("UNREACHABLE"), being("SILENT"), being("LEFT")];
  const degraded = limits.degraded ?? limits.list.filter((each) => each.state === "DEGRADED").length;
  const byPolicy = degraded === 0 ? "no limit is" : degraded === 1 ? "1 limit is" : `${whole(degraded)} limits are`;
  const answered = `${byPolicy} answered by ${degraded > 1 ? "their" : "its"} policy`;
  const on = `on ${whole(cluster.reporting)} of ${whole(cluster.nodes)} ${cluster.nodes === 1 ? "node" : "nodes"}`;
  const who = (members) => `${members.length === 1 ? "Member" : "Members"} ${names(members)}`;
  const since = (members, link) => (members.some((each) => each.seconds !== null) ? ` ${link}${lasting(longest(members))}` : "");

  if (unreachable.length > 0) {
    const what = degraded > 0 ? `: ${answered}.` : ".";
    return { tone: "trouble", before: `${who(unreachable)} unreachable`, ticking: since(unreachable, "for "), after: what };
  }
  if (degraded > 0 || cluster.state === "DEGRADED") {
    const text = degraded > 0 ? answered : "some limits are answered by their policy";
    return { tone: "trouble", before: `${text[0].toUpperCase()}${text.slice(1)} ${on}.`, ticking: "", after: "" };
  }
  if (silent.length > 0) {
    const verb = silent.length === 1 ? "says" : "say";
    const what = `. Limits are enforced as written on the ${whole(cluster.reporting)} of ${whole(cluster.nodes)} nodes that report.`;
    return { tone: "notice", before: `${who(silent)} ${verb} nothing`, ticking: since(silent, "for "), after: what };
  }
  const off = limits.off ?? limits.list.filter((each) => !each.on).length;
  const all = off > 0 ? `${whole(limits.total - off)} of ${count(limits.total, "limit")} ${limits.total - off === 1 ? "is" : "are"} enforced`
    : limits.total === 1 ? "The limit is enforced" : "All limits are enforced";
  const but = off === 0 ? "." : off === 1 ? ", 1 is switched off." : `, ${whole(off)} are switched off.`;
  if (left.length > 0) {
    return { tone: "notice", before: `${who(left)} left`, ticking: `${since(left, "")}${longest(left) > 0 ? " ago" : ""}`, after: `. ${all} as written ${on}${but}` };
  }
  if (limits.total === 0) return { tone: "fine", before: `No limits yet ${on}.`, ticking: "", after: "" };
  return { tone: off > 0 || cluster.reporting < cluster.nodes ? "notice" : "fine", before: `${all} as written ${on}${but}`, ticking: "", after: "" };
}

/** What else is to be known, and would make the sentence too long. */
export function notes(data) {
  const { cluster, limits } = data;
  const notes = [];
  const named = (list) => list.slice(0, 3).map((each) => shown(each.name)).join(", ") + (list.length > 3 ? ", …" : "");
  const say = (list, all, what) => {
    const many = all ?? list.length;
    if (many > 0) notes.push(`${what}: ${list.length > 0 ? named(list) : count(many, "limit")}${list.length > 0 && many > list.length ? ", …" : ""}.`);
  };
  say(limits.list.filter((each) => each.state === "DEGRADED"), limits.degraded, "Degraded");
  say(limits.list.filter((each) => !each.on), limits.off, "Switched off");
  say(limits.list.filter((each) => each.differs), limits.differing, "Not the same on all nodes");
  if (cluster.behindSeconds > 5) notes.push(`Some node has not heard of changes to limits for ${lasting(cluster.behindSeconds)}.`);
  if (limits.dropped > 0) notes.push(`${count(limits.dropped, "limit")} with the least to do left out: too many to tell.`);
  if (limits.keysDropped) notes.push("Busiest keys left out: too many to tell.");
  return notes.join(" ");
}
