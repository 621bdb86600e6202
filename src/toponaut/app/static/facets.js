// Places inside the current one with their matching pages, and the path back up.

import { count, make } from "./dom.js";
import { search } from "./state.js";

const SHOWN = 8;

/** `go` takes a whole state. "Near" and "within" have no facets: places are only counted as a whole. */
export function facets(answer, go) {
  const counted = answer.where && answer.where.manner !== "in" ? [] : answer.facets;
  const down = counted.map((facet) =>
    make(
      "button",
      { type: "button", class: "chip facet", onclick: () => go(search({ q: answer.what, place: String(facet.id) })) },
      facet.name,
      make("small", { class: "number" }, count(facet.pages)),
    ),
  );
  return [up(answer, go), chips(down)].filter(Boolean);
}

function chips(all) {
  if (!all.length) return null;
  const rest = all.slice(SHOWN);
  const list = make(
    "p",
    { class: "facets", role: "group", "aria-label": "Narrow down to a place" },
    all.slice(0, SHOWN),
  );
  if (rest.length) {
    const more = make(
      "button",
      { type: "button", class: "plain small", onclick: () => more.replaceWith(...rest) },
      `${rest.length} more`,
    );
    list.append(more);
  }
  return list;
}

/** Everywhere › United States › Texas › Houston */
function up(answer, go) {
  const place = answer.where?.place;
  if (!place) return null;
  const everywhere = search(answer.what ? { q: answer.what, place: "0" } : {});
  const step = (text, state) =>
    make("li", {}, make("button", { type: "button", class: "plain", onclick: () => go(state) }, text));
  const above = place.path
    .slice(0, -1)
    .map((name, k) => [name, place.path_ids[k]])
    .filter(([name], k) => name !== place.path[k + 1]) // as in steps()
    .map(([name, id]) => step(name, search({ q: answer.what, place: String(id) })));
  const here = make("li", { "aria-current": "location" }, place.name);
  return make(
    "nav",
    { "aria-label": "Places above" },
    make("ol", { class: "crumbs" }, step("Everywhere", everywhere), above, here),
  );
}
