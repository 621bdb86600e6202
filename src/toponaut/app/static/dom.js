// Elements and number formats. Text of crawled pages enters the document here, and only as text nodes.

/** Create an element. Attributes that are false, null or undefined are skipped; functions are listeners: {onclick}. */
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

/** A link to a crawled page, opened in a new tab; plain text if the URL is not http or https. */
export function linkOut(url, text, className = "") {
  if (!/^https?:\/\//i.test(url)) return make("span", { class: className }, text);
  return make("a", { href: url, class: className, target: "_blank", rel: "noopener noreferrer nofollow" }, text);
}

/** Text with some spans [start, end, wrap] replaced by wrap(text).
 *
 * Offsets count code points, as in Python; JavaScript counts UTF-16 units, which differ after an emoji. Spans that overlap
 * an earlier one are skipped. */
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

/** The date of a capture; "" for a replay, whose clock is simulated. */
export function day(captured) {
  if (!captured) return "";
  const date = new Date(captured);
  return Number.isNaN(date.getTime())
    ? ""
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** A path without areas named like the next one: the city of Lisbon is in the district of Lisbon. */
export const steps = (path) => path.filter((name, k) => name !== path[k + 1]);

/** A place with its country, or US state: "Lisbon, Portugal", "Austin, Texas". */
export function placeName(path) {
  if (path.length <= 2) return [...path].reverse().join(", ");
  const [country, state] = path;
  const name = path[path.length - 1];
  return country === "United States" ? `${name}, ${state}` : `${name}, ${country}`;
}
