/** The table of limits. A limit keeps its row while it is shown, so that focus and selection stay where they are. */

import { percent, rate, refill, shown, SOURCES, sources, state } from "./words.js";

/** An element with classes and children; text is text. */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** Changes nothing that is as it should be: what has not changed is not laid out again. */
export function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Replaces those children that have become different ones. */
export function replace(target, ...children) {
  children.filter(Boolean).forEach((each, at) => {
    const old = target.children[at];
    if (!old) target.append(each);
    else if (!old.isEqualNode(each)) old.replaceWith(each);
  });
  while (target.children.length > children.filter(Boolean).length) target.lastElementChild.remove();
}

export const hrefOf = (name) => `#${new URLSearchParams({ limit: name })}`;

export function numbers(limit) {
  return limit.bandwidths.map((each) => `${refill(each)}${each.capacity === each.refill ? "" : `, burst ${each.capacity}`}`).join(" and ");
}

/** The parts of a bar, one beside the other. */
function stack(bar, rates) {
  const known = Object.keys(SOURCES).filter((each) => rates[each] > 0);
  const sum = known.reduce((all, each) => all + rates[each], 0);
  while (bar.children.length > known.length) bar.lastChild.remove();
  while (bar.children.length < known.length) bar.append(element("i"));
  known.forEach((each, at) => {
    const part = bar.children[at];
    part.className = `source-${each}`;
    part.style.flexGrow = 100 * rates[each] / sum; // parts of less than 1 altogether would leave a gap
  });
}

function cell(label, className, ...children) {
  const made = element("div", className, ...children);
  made.setAttribute("role", "cell");
  made.dataset.label = label;
  return made;
}

class Row {
  constructor(name) {
    this.link = element("a", "name", shown(name));
    this.link.href = hrefOf(name);
    this.what = element("span", "what");
    this.granted = cell("Granted/s", "number granted");
    this.denied = cell("Denied/s", "number denied");
    this.left = element("i");
    this.gauge = element("span", "gauge", this.left);
    this.gauge.ariaHidden = "true";
    this.headroom = element("span", "value");
    this.bar = element("span", "stack");
    this.bar.ariaHidden = "true";
    this.from = element("span", "from");
    this.word = element("b", "word");
    this.more = element("span", "what");
    this.row = element("div", "row",
      cell("Limit", "limit", this.link, this.what),
      this.granted,
      this.denied,
      cell("Headroom", "headroom", this.gauge, this.headroom),
      cell("Answered from", "sources", this.bar, this.from),
      cell("State", "state", this.word, this.more));
    this.row.setAttribute("role", "row");
    // A larger target for pointers; the link is what is named and focused.
    this.row.addEventListener("click", (event) => {
      if (!event.target.closest("a") && !String(getSelection())) this.link.click();
    });
  }

  show(limit, open) {
    const { tone, word, more } = state(limit);
    write(this.what, numbers(limit));
    write(this.granted, rate(limit.rate.granted));
    write(this.denied, rate(limit.rate.denied));
    this.denied.classList.toggle("some", limit.rate.denied > 0);
    this.gauge.hidden = limit.headroom === null;
    this.left.style.width = `${100 * Math.min(1, Math.max(0, limit.headroom ?? 0))}%`;
    this.gauge.classList.toggle("low", limit.headroom < 0.1);
    write(this.headroom, percent(limit.headroom));
    stack(this.bar, limit.sources);
    this.bar.hidden = this.bar.children.length === 0;
    write(this.from, sources(limit.sources) || (limit.rate.granted === null ? "not known yet" : "nobody asks"));
    this.row.dataset.tone = tone;
    write(this.word, word);
    const also = [more, limit.shadowOf ? `beside ${shown(limit.shadowOf)}` : "", limit.differs ? "differs between nodes" : ""];
    write(this.more, also.filter(Boolean).join(", "));
    if (open) this.link.setAttribute("aria-current", "true");
    else this.link.removeAttribute("aria-current");
  }
}

/** Longer than a look at a row takes, and so short that what has become worse is soon at the top again. */
const HELD_MILLIS = 10_000;

export class Table {
  #rows = new Map();
  #body = document.getElementById("rows");
  #order = document.getElementById("order");
  #heldUntil = 0;

  constructor() {
    // Rows do not run away from under a pointer, a finger or the focus.
    for (const each of ["pointermove", "pointerdown", "focusin", "keydown"]) {
      this.#body.addEventListener(each, () => { this.#heldUntil = performance.now() + HELD_MILLIS; });
    }
    this.#body.addEventListener("pointerleave", () => { this.#heldUntil = 0; });
  }

  show(limits, openName) {
    const held = performance.now() < this.#heldUntil || this.#body.contains(document.activeElement);
    const present = new Set(limits.map((each) => each.name));
    for (const [name, row] of this.#rows) {
      if (!present.has(name)) {
        row.row.remove();
        this.#rows.delete(name);
      }
    }
    let before = null;
    for (const limit of limits) {
      let row = this.#rows.get(limit.name);
      if (!row) {
        row = new Row(limit.name);
        this.#rows.set(limit.name, row);
        if (held) this.#body.append(row.row);
      }
      row.show(limit, limit.name === openName);
      if (!held) {
        const next = before ? before.nextSibling : this.#body.firstChild;
        if (next !== row.row) this.#body.insertBefore(row.row, next);
        before = row.row;
      }
    }
    write(this.#order, held ? "Rows stay where they are while you are at them." : "Most denied first.");
  }

  focus(name) {
    this.#rows.get(name)?.link.focus();
  }
}
