// The places view: one card for each organisation at an address; and the tabs that switch between pages and places.

import { count, day, kilometres, linkOut, make, many } from "./dom.js";
import { shortened } from "./results.js";
import { address } from "./state.js";

const EXACT = new Set(["given", "house"]);
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

/** The cards of an answer. `on` has open(url of a page), hover(numbers or null) and more(). */
export function placeCards(answer, on) {
  const { organisations, total, where } = answer;
  if (!organisations.length) return [make("p", { class: "empty" }, "No addresses on the matching pages.")];
  const list = make(
    "ol",
    { class: "hits places" },
    organisations.map((one, number) => card(one, number, where, on)),
  );
  const left = `More places (${count(total - organisations.length)})`;
  return [list, organisations.length < total && make("button", { type: "button", class: "button more", onclick: on.more }, left)];
}

/** The cards with a point, as pins of the map. */
export function pinsOf(organisations) {
  const pins = organisations.map(({ lat, lon, precision, radius_km: radius, score }, number) => [
    number, lat, lon, EXACT.has(precision) ? 0 : radius, score,
  ]); // prettier-ignore
  return pins.filter(([, lat, lon]) => lat !== null && lon !== null);
}

function card(one, number, where, on) {
  const near = where && where.manner !== "in" && one.distance_km !== null;
  const facts = [
    ["Phone", one.phone],
    ["Hours", one.hours],
    ["Website", one.website && linkOut(one.website, shortened(one.website))],
    ["E-mail", one.email],
    ["Known as", one.ids.join(", ")],
    ["Sure", `${Math.round(one.confidence * 100)} %`],
    ["Last confirmed", day(one.last_seen)],
    ["Pages", pages(one, on.open)],
  ].filter(([, value]) => value);
  return make(
    "li",
    {
      class: "hit place-card",
      "data-number": number,
      onmouseenter: () => on.hover(new Set([number])),
      onmouseleave: () => on.hover(null),
    },
    make(
      "h2",
      {},
      make("span", { class: "title" }, one.organisation || one.address),
      one.category && make("span", { class: "soft small" }, ` ${one.category.replaceAll("_", " ")}`),
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
