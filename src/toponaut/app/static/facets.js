// Places to drill down into, with how many matching pages they have; and the way up again.

import { count, make, steps } from "./dom.js";
import { search } from "./state.js";

const SHOWN = 8;

/** `go` takes a whole state. Places come with ids; those above the chosen one are asked for by name, as anybody would. */
export function facets(answer, go) {
  const down = answer.facets.map((facet) =>
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
  const path = steps(answer.where?.place?.path ?? []);
  if (!path.length) return null;
  const everywhere = search(answer.what ? { q: answer.what, place: "0" } : {});
  const step = (text, state) =>
    make("li", {}, make("button", { type: "button", class: "plain", onclick: () => go(state) }, text));
  const above = path.slice(0, -1).map((name, k) => {
    const place = path
      .slice(0, k + 1)
      .reverse()
      .join(", ");
    return step(name, search({ q: answer.what ? `${answer.what} in ${place}` : place }));
  });
  const here = make("li", { "aria-current": "location" }, path[path.length - 1]);
  return make(
    "nav",
    { "aria-label": "Places above" },
    make("ol", { class: "crumbs" }, step("Everywhere", everywhere), above, here),
  );
}
