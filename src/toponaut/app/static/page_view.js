// One page: its captured text with the addresses, nearby pages, and why it was fetched. The archived copy is shown on
// request only, in a sandboxed frame: no scripts, no forms, no access to this page.

import { day, kilometres, linkOut, make, many, marked, placeName } from "./dom.js";
import { explanation } from "./explanation.js";
import { shortened } from "./results.js";

const PRECISION = {
  given: "coordinates on the page",
  postcode: "postcode area",
  city: "city",
  "": "unknown",
};

const SOURCES = {
  text: "page text",
  address: "<address> element",
  "json-ld": "JSON-LD",
  microdata: "microdata",
  rdfa: "RDFa",
  hcard: "hCard",
};

/** `on` has close(), open(url) and look(address). */
export function pageView(page, on) {
  const spots = new Map(); // number of an address -> its element in the text
  return [
    closing(on.close, linkOut(page.url, "Original ↗", "button")),
    make(
      "header",
      { class: "view-head" },
      make("h1", { id: "page-title" }, page.title || page.url),
      linkOut(page.url, shortened(page.url), "url"),
      facts(page),
    ),
    part("Addresses", page.addresses.length ? addresses(page, spots, on) : null),
    part("Places", page.hierarchy.length ? places(page.hierarchy) : null),
    part("Captured text", text(page, spots)),
    page.archived ? part("Archived copy", copy(page)) : null,
    part("Nearby pages", nearby(page.near, on)),
    part("Why it was fetched", explanation(page.explained)),
  ].filter(Boolean);
}

/** The bar at the top, with the back button. */
export function closing(close, ...more) {
  const back = make(
    "button",
    { type: "button", class: "button", id: "close", onclick: close, "aria-keyshortcuts": "Escape" },
    "← Results",
  );
  return make("div", { class: "view-bar" }, back, more);
}

function part(title, content) {
  return content ? make("section", { class: "part" }, make("h2", {}, title), content) : null;
}

function facts(page) {
  const shown = [
    page.hit?.path.length ? placeName(page.hit.path) : "",
    day(page.captured) && `captured ${day(page.captured)}`,
    page.language && `language ${page.language}`,
    page.relevant ? "relevant: has an address in the targets" : "",
    page.hit?.copies ? many(page.hit.copies, "near copy", "near copies") : "",
  ];
  return make("p", { class: "soft small" }, shown.filter(Boolean).join(" · "));
}

// --- addresses ---------------------------------------------------------------------------------------------------------

function addresses(page, spots, on) {
  return make(
    "ul",
    { class: "addresses" },
    page.addresses.map((address, number) => {
      const show = () => {
        on.look(address);
        const spot = spots.get(number);
        spot?.scrollIntoView({
          block: "center",
          behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
        });
        for (const [other, element] of spots) element.classList.toggle("lit", other === number);
      };
      return make(
        "li",
        {},
        make("button", { type: "button", class: "address card", onclick: show }, ...fields(address)),
      );
    }),
  );
}

function fields(address) {
  const numberFirst = ["US", "CA", "GB", "IE", "FR", "AU", "NZ"].includes(address.country);
  const street = (
    numberFirst ? [address.number, address.street, address.unit] : [address.street, address.number, address.unit]
  )
    .filter(Boolean)
    .join(" ");
  const town = (
    numberFirst ? [address.city, address.state, address.postcode] : [address.postcode, address.city, address.state]
  )
    .filter(Boolean)
    .join(" ");
  const evidence = [
    `Location: ${PRECISION[address.precision] ?? "unknown"}.`,
    address.evidence.length ? `Source: ${address.evidence.map((one) => SOURCES[one] ?? one).join(", ")}.` : "",
    `Confidence: ${Math.round(address.confidence * 100)} %.`,
  ];
  return [
    address.organisation ? make("b", {}, address.organisation) : null,
    make("span", {}, [street, town, address.country].filter(Boolean).join(", ")),
    address.phone ? make("span", { class: "phone" }, address.phone) : null,
    address.hours ? make("span", { class: "soft" }, address.hours) : null,
    make("span", { class: "soft small" }, evidence.filter(Boolean).join(" ")),
  ];
}

// --- text --------------------------------------------------------------------------------------------------------------

function text(page, spots) {
  const inText = page.addresses
    .map((address, number) => [
      address.start,
      address.end,
      (words) => {
        const mark = make("mark", { class: "address", title: address.organisation || "an address" }, words);
        spots.set(number, mark);
        return mark;
      },
    ])
    .filter(([start]) => start >= 0);
  const taken = (start, end) => inText.some(([from, to]) => start < to && end > from);
  const names = page.mentions
    .filter(([start, end]) => !taken(start, end))
    .map(([start, end, , name, path]) => [
      start,
      end,
      (words) => make("span", { class: "mention", title: path?.length ? path.join(" › ") : name }, words),
    ]);
  if (!page.text) return make("p", { class: "soft" }, "The page has no text.");
  const body = make(
    "div",
    {
      class: "captured card",
      tabindex: "0",
      role: "region",
      "aria-label": "Captured text",
      lang: page.language || null,
    },
    marked(page.text, [...inText, ...names]),
  );
  return make(
    "div",
    {},
    body,
    page.truncated ? make("p", { class: "soft small" }, "Truncated: the page is longer.") : null,
  );
}

// --- the copy ----------------------------------------------------------------------------------------------------------

function copy(page) {
  const holder = make("div", {});
  const show = () =>
    holder.replaceChildren(
      make("iframe", {
        sandbox: "",
        src: `/archived?url=${encodeURIComponent(page.url)}`,
        title: "Archived copy",
        referrerpolicy: "no-referrer",
        class: "copy card",
      }),
    );
  holder.append(
    make("button", { type: "button", class: "button", id: "show-copy", onclick: show }, "Show archived copy"),
    make("p", { class: "soft small" }, "As fetched, without scripts and without images and styles of other servers."),
  );
  return holder;
}

// --- places ------------------------------------------------------------------------------------------------------------

/** The location hierarchy: the largest areas on top, with the share of the page that is about each. */
function places(nodes) {
  return make(
    "ul",
    { class: "hierarchy" },
    nodes.map((node) =>
      make(
        "li",
        {},
        node.name,
        make(
          "span",
          { class: "soft small" },
          node.place
            ? ` ${Math.round(100 * node.share)} %${node.addresses ? `, ${many(node.addresses, "address", "addresses")}` : ""}`
            : " landmark",
        ),
        node.inside.length ? places(node.inside) : null,
      ),
    ),
  );
}

// --- nearby ------------------------------------------------------------------------------------------------------------

function nearby(near, on) {
  const list = (title, pages, detail) =>
    pages.length
      ? make(
          "div",
          {},
          make("h3", {}, title),
          make(
            "ul",
            { class: "near" },
            pages
              .slice(0, 6)
              .map((one) =>
                make(
                  "li",
                  {},
                  make("button", { type: "button", class: "plain", onclick: () => on.open(one.url) }, one.title),
                  make("span", { class: "soft small" }, detail(one)),
                ),
              ),
          ),
        )
      : null;
  const both = [
    list("By distance", near.in_space, (one) => (one.distance_km === null ? "" : `about ${kilometres(one.distance_km)}`)),
    list("In the same place", near.in_hierarchy, (one) => placeName(one.path)),
  ].filter(Boolean);
  return both.length ? make("div", { class: "two" }, both) : null;
}
