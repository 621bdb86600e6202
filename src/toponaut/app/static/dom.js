// Making elements, and saying numbers in words. Text of crawled pages enters the document here, and only as text nodes.

/** An element. Attributes that are false, null or undefined are left out; functions are listeners: {onclick}. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== "" && child !== false),
  );
  return element;
}

export const byId = (id) => document.getElementById(id);

/** A link to a crawled page, to be opened beside ours; plain text where the URL is no http or https. */
export function linkOut(url, text, className = "") {
  if (!/^https?:\/\//i.test(url)) return make("span", { class: className }, text);
  return make("a", { href: url, class: className, target: "_blank", rel: "noopener noreferrer nofollow" }, text);
}

/** A text cut at spans [start, end, wrap]: each stretch goes through its wrap(text), the rest stays text.
 *
 * Offsets count code points, as Python does; JavaScript counts UTF-16 units, which differ from the first emoji on. Spans
 * that overlap an earlier one are left out. */
export function marked(text, spans) {
  const points = /[\u{10000}-\u{10ffff}]/u.test(text) ? Array.from(text) : null;
  const cut = (from, to) => (points ? points.slice(from, to).join("") : text.slice(from, to));
  const parts = [];
  let at = 0;
  for (const [start, end, wrap] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (start < at || end <= start) continue;
    parts.push(cut(at, start), wrap(cut(start, end)));
    at = end;
  }
  return [...parts, cut(at, points ? points.length : text.length)].filter((part) => part !== "");
}

export const count = (number) => number.toLocaleString("en-US");
export const many = (number, one, more = `${one}s`) => `${count(number)} ${number === 1 ? one : more}`;

export function kilometres(km) {
  if (km < 1) return `${Math.max(10, Math.round(km * 100) * 10)} m`;
  return km < 10 ? `${km.toFixed(1)} km` : `${count(Math.round(km))} km`;
}

/** The day of a capture; "" where there is none: the clock was a replay's. */
export function day(captured) {
  if (!captured) return "";
  const date = new Date(captured);
  return Number.isNaN(date.getTime())
    ? ""
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** A path without areas that bear the name of the next: Lisbon is a city in a district of its name. */
export const steps = (path) => path.filter((name, k) => name !== path[k + 1]);

/** A place by its path, the narrow first: "Lisbon, Portugal". Areas in between are left out, but for US states. */
export function placeName(path) {
  if (path.length <= 2) return [...path].reverse().join(", ");
  const [country, state] = path;
  const name = path[path.length - 1];
  return country === "United States" ? `${name}, ${state}` : `${name}, ${country}`;
}
