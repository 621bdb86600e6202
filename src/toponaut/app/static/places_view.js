// The places view: one card for each organisation at an address; and the tabs that switch between pages and places.

import { day, kilometres, linkOut, make, many } from "./dom.js";
import { shortened } from "./results.js";
import { address } from "./state.js";

const TABS = [
  ["", "Pages"],
  ["places", "Places"],
];

export function tabs(state, go) {
  const links = TABS.map(([view, name]) => {
    const next = { ...state, view, page: "" };
    const open = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(next);
    };
    return make("a", { href: address(next), "aria-current": state.view === view ? "page" : null, onclick: open }, name);
  });
  return make("nav", { class: "tabs", "aria-label": "Result views" }, links);
}

/** The cards of an answer. `open` shows a page of the crawl. */
export function placeCards(answer, open) {
  if (!answer.organisations.length) return make("p", { class: "empty" }, "No addresses on the matching pages.");
  return make(
    "ol",
    { class: "hits places" },
    answer.organisations.map((one) => card(one, answer.where, open)),
  );
}

function card(one, where, open) {
  const near = where && where.manner !== "in" && one.distance_km !== null;
  const facts = [
    ["Phone", one.phone],
    ["Hours", one.hours],
    ["Website", one.website && linkOut(one.website, shortened(one.website))],
    ["E-mail", one.email],
    ["Known as", one.ids.join(", ")],
    ["Sure", `${Math.round(one.confidence * 100)} %`],
    ["Last confirmed", day(one.last_seen)],
    ["Pages", pages(one, open)],
  ].filter(([, value]) => value);
  return make(
    "li",
    { class: "hit place-card" },
    make(
      "h2",
      {},
      make("span", { class: "title" }, one.organisation || one.address),
      one.category && make("span", { class: "soft small" }, ` ${one.category.replace("_", " ")}`),
    ),
    make("p", { class: "contact" }, one.address, near ? ` · ${kilometres(one.distance_km)} away` : ""),
    make(
      "dl",
      { class: "facts" },
      facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
    ),
  );
}

function pages(one, open) {
  const links = one.urls.map((url) =>
    make("li", {}, make("button", { type: "button", class: "plain", onclick: () => open(url) }, shortened(url))),
  );
  return make("details", {}, make("summary", {}, many(one.pages, "page")), make("ul", { class: "list" }, links));
}
