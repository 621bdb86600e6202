// How a query was understood, and alternatives: the words, the place as a chip, its namesakes, other spellings.

import { count, kilometres, make, many, placeName } from "./dom.js";
import { search } from "./state.js";

const AREAS = ["country", "state", "county"];

/** `total`: how many of what were found. `go` takes a whole state. */
export function querySummary(answer, total, state, go) {
  const { what, where } = answer;
  const line = [what ? make("b", { class: "what" }, what) : make("b", { class: "what" }, "everything")];
  const everywhere = search(what ? { q: what, place: "0" } : {});
  if (state.box) line.push(chip("in this map area", "Search everywhere", () => go(everywhere)));
  if (where) line.push(chip(inWords(where), "Search everywhere", () => go(everywhere)));
  else if (state.place === "0" && !state.box)
    line.push(chip("anywhere, words only", "Search for a place again", () => go(search({ q: state.q }))));
  return [
    make(
      "div",
      { class: "understood" },
      make("h1", {}, line),
      make("span", { class: "total number" }, total),
    ),
    alternatives(answer, state, go),
    spellings(answer, go),
    regions(answer, state, go),
    ...notes(answer).map((text) => make("p", { class: "note" }, capital(text))),
  ].filter(Boolean);
}

/** The same as text, for screen readers and the title. */
export function summaryText(answer) {
  return [answer.what || "everything", answer.where ? inWords(answer.where) : ""].filter(Boolean).join(" ");
}

export function inWords(where) {
  if (where.area) return `in ${where.area}`;
  const place = where.place ? placeName(where.place.path) : "you";
  const spot = where.spot ? `${where.spot}, ${place}` : place;
  const manner = where.radius_km ? `within ${kilometres(where.radius_km).replace(".0 ", " ")} of` : where.manner;
  return `${manner} ${spot}`;
}

function notes({ where, note }) {
  const unknown = where?.spot && !where.spot_found;
  return [unknown && `no page has an address there; distances are from the centre of ${where.place.name}`, note].filter(Boolean);
}

function chip(text, remove, onclick) {
  const button = make(
    "button",
    { type: "button", class: "remove", title: remove, "aria-label": `${text}: ${remove}`, onclick },
    "×",
  );
  return make("span", { class: "chip place" }, text, button);
}

/** The region of readers for whom the hits are ranked, and the others to choose from. */
function regions({ region, regions: names }, state, go) {
  if (!names?.length) return null;
  const option = (value, text) => make("option", { value, ...(value === (region || "none") ? { selected: "" } : {}) }, text);
  const choice = make(
    "select",
    { onchange: (event) => go({ ...state, region: event.target.value }) },
    ...names.map((name) => option(name, name)),
    option("none", "no region"),
  );
  return make("label", { class: "note region" }, "Ranked for readers in ", choice);
}

function alternatives(answer, state, go) {
  const all = [answer.where?.place, ...answer.others].filter(Boolean).map((one) => placeName(one.path));
  const named = (one) => {
    const short = placeName(one.path);
    if (all.indexOf(short) === all.lastIndexOf(short)) return short;
    return AREAS.includes(one.kind) ? `${short} (the whole area)` : [...one.path].reverse().join(", ");
  };
  const others = answer.others.map((one) =>
    make(
      "button",
      {
        type: "button",
        class: "chip other",
        title: one.path.join(" › "),
        onclick: () => go(search({ q: state.q, place: String(one.id) })),
      },
      named(one),
      make("small", { class: "number" }, one.pages ? count(one.pages) : "no pages"),
    ),
  );
  if (answer.as_words && answer.where)
    others.push(
      make(
        "button",
        { type: "button", class: "chip other", onclick: () => go(search({ q: state.q, place: "0" })) },
        "words only",
      ),
    );
  return others.length
    ? make("p", { class: "others" }, make("span", { class: "soft" }, answer.where ? "or" : "or in"), others)
    : null;
}

function spellings(answer, go) {
  if (!answer.did_you_mean.length) return null;
  const links = answer.did_you_mean.map((query) =>
    make("button", { type: "button", class: "plain", onclick: () => go(search({ q: query })) }, query),
  );
  return make(
    "p",
    { class: "spelling" },
    "Did you mean ",
    links.flatMap((link, k) => (k ? [" or ", link] : [link])),
    "?",
  );
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");
