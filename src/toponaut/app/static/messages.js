// Messages in place of hits: the start page, nothing found, location needed, errors, loading.

import { count, day, make, many, placeName } from "./dom.js";
import { search } from "./state.js";

/** The start page. `places`: facets of countries. */
export function start(about, places, go) {
  const examples = about.examples.map((query) =>
    make(
      "li",
      {},
      make("button", { type: "button", class: "chip example", onclick: () => go(search({ q: query })) }, query),
    ),
  );
  const targets = about.targets
    .slice(0, 24)
    .map((target) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: "plain",
            title: placeName(target.path),
            onclick: () => go(search({ place: String(target.id) })),
          },
          target.name,
        ),
      ),
    );
  const more = about.targets_total - targets.length;
  if (more > 0) targets.push(make("li", { class: "soft" }, `and ${count(more)} more`));
  return make(
    "div",
    { class: "start" },
    make("h1", {}, "Search by what and where"),
    make(
      "p",
      { class: "lead" },
      `${many(about.pages, "page")} of the crawl “${about.name}”`,
      about.running ? ", which is still running." : day(about.indexed) ? `, indexed on ${day(about.indexed)}.` : ".",
    ),
    examples.length ? make("ul", { class: "examples", "aria-label": "Examples" }, examples) : null,
    targets.length
      ? make("div", { class: "targets" }, make("h2", {}, "Target places"), make("ul", { class: "list" }, targets))
      : null,
    places.length ? make("div", { class: "targets" }, make("h2", {}, "Pages by country"), places) : null,
    make(
      "p",
      { class: "keys soft small" },
      key("/"),
      " search  ",
      key("↑"),
      key("↓"),
      " results  ",
      key("Enter"),
      " open  ",
      key("Esc"),
      " back",
    ),
  );
}

const key = (name) => make("kbd", {}, name);

/** Nothing found. */
export function nothing(answer, state, go) {
  const advice = [];
  const link = (text, next) => make("button", { type: "button", class: "plain", onclick: () => go(next) }, text);
  const place = answer.where?.place;
  if (place && (answer.where.radius_km || answer.where.spot))
    advice.push(link(`Search all of ${placeName(place.path)}`, search({ q: answer.what, place: String(place.id) })));
  if (answer.where && answer.what)
    advice.push(link(`Search “${answer.what}” everywhere`, search({ q: answer.what, place: "0" })));
  if (place && answer.what)
    advice.push(link(`Show all pages in ${placeName(place.path)}`, search({ place: String(place.id) })));
  if (state.box) advice.push(link("Search the whole map", search({ q: state.q })));
  if (state.q.trim().includes(" ")) advice.push("Use fewer or more common words.");
  advice.push("Words must match as spelled. Try another spelling, or the language of the pages.");
  return make(
    "div",
    { class: "empty" },
    make("h2", {}, `No matches in ${many(answer.pages, "page")}`),
    make(
      "ul",
      {},
      advice.map((one) => make("li", {}, one)),
    ),
  );
}

/** A query "near me" without a location. */
export function whereAreYou(locate) {
  return make(
    "div",
    { class: "empty" },
    make("h2", {}, "Your location is needed"),
    make("p", {}, "Your browser can provide it with your permission. The coordinates are sent to this server only."),
    make("p", {}, make("button", { type: "button", class: "button main", onclick: locate }, "Use my location")),
  );
}

export function problem(failure, again) {
  return make(
    "div",
    { class: "problem", role: "alert" },
    make("b", {}, failure.message),
    make("p", { class: "soft" }, failure.fix ?? ""),
    make("p", {}, make("button", { type: "button", class: "button", onclick: again }, "Try again")),
  );
}

/** Grey lines in place of hits that are loading. */
export function waiting() {
  const lines = () =>
    make(
      "li",
      { class: "hit" },
      make("i", { class: "bone w60" }),
      make("i", { class: "bone w90" }),
      make("i", { class: "bone w75" }),
    );
  return make("ol", { class: "hits bones", "aria-hidden": "true" }, [1, 2, 3, 4, 5].map(lines));
}
