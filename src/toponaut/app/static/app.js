// The search page. The URL holds its state (state.js). show() updates the page after a search, a link or the back button.
//
//   state -> /api/search, /api/pins -> query_summary.js, facets.js, results.js | map.js -> pins.js, towns.js, base_map.js -> ground.js
//         -> /api/page              -> page_view.js, explanation.js

import { Failure, ask, get } from "./api.js";
import { byId, make, many } from "./dom.js";
import { nothing, problem, start, waiting, whereAreYou } from "./messages.js";
import { facets } from "./facets.js";
import { keyboard } from "./keyboard.js";
import { mapView } from "./map.js";
import { closing, pageView } from "./page_view.js";
import { pinsOf, placeCards, tabs } from "./places_view.js";
import { Results } from "./results.js";
import * as url from "./state.js";
import { querySummary, summaryText } from "./query_summary.js";

const HITS = 10; // per request
const CARDS = 20;
const PINS = 2000;
const PATIENCE_MS = 200; // a faster response needs no placeholder
const WORLD = "-180,-85,180,85";
const NEAR_ME = /\b(near|around|close to|next to) (me|here)\b|\bnearby\s*$|\bin my (area|town|city)\b/i;

const results = new Results(byId("results"), {
  hover: (pages) => onMap((map) => map.light(pages)),
  go: (change) => go({ ...url.read(), ...change }),
  within: (place) => go(url.search({ q: answer?.what ?? "", place: String(place) })),
  more,
});
let about = null; // promise of /api/about
let answer = null; // to the current query
let shown = null; // the query of the list
let openPage = "";
let scrolled = 0; // position of the list while a page is open

function loadAbout() {
  about ??= get("/api/about").catch((failure) => {
    about = null; // request it again next time
    throw failure;
  });
  return about;
}

// The map comes after the list: its library is large. Actions on it wait for it, in order; without WebGL there are none.
const mapReady = loadAbout()
  .catch(() => ({ bounds: null, basemap: null, tiles: null })) // failures are reported where the data is needed
  .then((info) =>
    mapView(byId("map"), info, {
      hover: (pages) => results.light(pages),
      open: (page) => go({ ...url.read(), page }),
      card: (number) => {
        turnTo("list");
        results.reveal(number);
      },
      moved: () => {
        byId("here").hidden = false;
        byId("none-here").hidden = true;
      },
    }),
  );
const onMap = async (action) => {
  const map = await mapReady;
  if (map) action(map);
};

function go(state) {
  if (url.go(state)) show();
}

async function show(reload = false) {
  const state = url.read();
  const query = `${url.query(state)} ${state.view}`;
  if (query !== shown || reload) {
    shown = query;
    scrolled = 0;
    byId("q").value = state.q;
    byId("here").hidden = byId("none-here").hidden = true;
    byId("side").scrollTop = 0;
    await Promise.all([list(state), state.page ? view(state.page) : close()]);
  } else if (state.page !== openPage) await (state.page ? view(state.page) : close());
}

// --- list and map ----------------------------------------------------------------------------------------------

async function list(state) {
  const query = url.query(state);
  const asked = shown;
  const current = () => shown === asked; // no newer search has started
  answer = null;
  if (NEAR_ME.test(state.q) && !state.near) {
    return head([], [], [whereAreYou(locate)], "Your location is needed.");
  }
  const slow = setTimeout(() => current() && results.clear(waiting()), PATIENCE_MS);
  byId("side").setAttribute("aria-busy", "true");
  try {
    const inPlaces = query && state.view === "places";
    const pins = inPlaces ? null : ask("pins", `/api/pins?${query || `box=${WORLD}`}&most=${PINS}`);
    pins?.catch(() => {}); // awaited below, unless the search fails first
    const [found, info, cards] = await Promise.all([
      ask("search", `/api/search?${query}&limit=${HITS}`),
      query ? null : loadAbout(),
      inPlaces ? ask("places", `/api/places?${query}&limit=${CARDS}`) : null,
    ]);
    clearTimeout(slow);
    if (!found || !current()) return;
    if (query) answered(found, state, cards);
    else welcome(found, info);
    if (cards) return await showPins(pinsOf(cards.organisations), state, cards.organisations);
    const located = await pins;
    if (located && current()) await showPins(located.pins, state);
  } catch (failure) {
    if (current()) failed(failure);
  } finally {
    clearTimeout(slow);
    if (current()) byId("side").removeAttribute("aria-busy");
  }
}

/** The parts of the left side, and the text for screen readers. */
function head(top, places, instead, status) {
  byId("understood").replaceChildren(...top);
  byId("facets").replaceChildren(...places);
  if (instead) results.clear(...instead);
  byId("status").textContent = status;
}

function answered(found, state, cards) {
  answer = found;
  const none = found.hits.length === 0;
  const total = cards ? many(cards.total, "place") : many(found.total, "page");
  head(
    [...querySummary(found, total, state, go), none ? null : tabs(state, go)].filter(Boolean),
    state.box ? [] : facets(found, go), // facets would count pages outside the box
    none ? [nothing(found, state, go)] : null,
    `${total} for ${summaryText(found)}`,
  );
  if (!none && cards) showCards(cards, state);
  else if (!none) results.show(found, state);
  document.title = `${summaryText(found)} - Toponaut`;
  onMap((map) => map.spot(found.where));
}

function showCards(cards, state) {
  const shown = placeCards(cards, {
    open: (page) => go({ ...url.read(), page }),
    hover: (numbers) => onMap((map) => map.light(numbers)),
    more: () => moreCards(cards, state),
  });
  results.clear(...shown.filter(Boolean));
}

async function moreCards(cards, state) {
  const offset = cards.organisations.length;
  const further = await ask("places", `/api/places?${url.query(state)}&limit=${CARDS}&offset=${offset}`).catch(failed);
  if (!further) return;
  const all = { ...cards, organisations: [...cards.organisations, ...further.organisations] };
  if (!further.organisations.length) all.total = offset; // several names of one address are one card
  showCards(all, state);
  await showPins(pinsOf(all.organisations), state, all.organisations);
}

function welcome(found, info) {
  head([], [], [start(info, facets(found, go), go)], "");
  if (info.examples.length) byId("q").placeholder = info.examples[0];
  document.title = `${info.name} - Toponaut`;
  onMap((map) => map.spot(null));
}

async function showPins(pins, state, cards = null) {
  const asked = shown;
  const bounds = pins.length || state.box ? null : (await loadAbout()).bounds;
  const { where = null, total = 0 } = answer ?? {};
  onMap((map) => {
    if (shown !== asked) return; // a newer search has started
    map.show(pins, cards);
    if (state.box) map.frame(state.box);
    else if (!state.page || !map.placed) map.fit(pins, where, bounds);
    byId("none-here").hidden = !total || map.has(pins);
  });
}

async function more(offset) {
  const state = url.read();
  const further = await ask("search", `/api/search?${url.query(state)}&limit=${HITS}&offset=${offset}`).catch(failed);
  if (!further) return;
  results.add(further, state);
  results.links()[offset]?.focus();
}

function failed(failure) {
  if (!(failure instanceof Failure)) throw failure;
  head([], [], [problem(failure, () => show(true))], failure.message);
  onMap((map) => map.show([]));
}

// --- one page ----------------------------------------------------------------------------------------------------------

async function view(address) {
  const side = byId("page");
  if (byId("page").hidden) scrolled = byId("side").scrollTop;
  openPage = address;
  const on = {
    close: () => go({ ...url.read(), page: "" }),
    open: (page) => go({ ...url.read(), page }),
    look: (one) => look([one]),
  };
  try {
    const page = await ask("page", `/api/page?url=${encodeURIComponent(address)}`);
    if (!page || openPage !== address) return;
    side.replaceChildren(...pageView(page, on));
    look(page.hit?.points ?? []);
    onMap((map) => map.light(page.hit ? new Set([page.hit.number]) : null));
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    side.replaceChildren(
      closing(on.close),
      problem(failure, () => view(address)),
    );
  }
  side.hidden = false;
  byId("side").hidden = true;
  side.scrollTop = 0;
  turnTo("list");
  side.focus({ preventScroll: true });
}

/** Show points or addresses on the map. */
function look(spots) {
  const located = spots.filter((spot) => spot.lat !== null).map((spot) => ({ ...spot, radius_km: spot.radius_km ?? 4 }));
  onMap((map) => map.choose(located));
}

function close() {
  if (!openPage) return;
  const link = results.links().find((one) => new URL(one.href).searchParams.get("page") === openPage);
  openPage = "";
  byId("page").hidden = true;
  byId("page").replaceChildren();
  byId("side").hidden = false;
  byId("side").scrollTop = scrolled;
  onMap((map) => {
    map.choose([]);
    map.light(null);
  });
  link?.focus({ preventScroll: true });
}

// --- user actions ----------------------------------------------------------------------------------------------------

function locate() {
  if (!navigator.geolocation)
    return failed(new Failure("This browser does not provide your location.", "Name the place: “pizza in Lisbon”."));
  const typed = byId("q").value.trim();
  const q = typed === answer?.query && answer.where?.place ? answer.what : typed; // without the place that it names
  navigator.geolocation.getCurrentPosition(
    ({ coords }) =>
      go(url.search({ q: q || "near me", near: `${coords.latitude.toFixed(4)},${coords.longitude.toFixed(4)}` })),
    (error) =>
      failed(
        new Failure(
          `Your location is not available: ${error.message || "the browser gave no reason"}.`,
          "Allow location access in the browser, or name the place: “pizza in Lisbon”.",
        ),
      ),
    { timeout: 10_000, maximumAge: 300_000 },
  );
}

/** A phone shows only one of "list" and "map". */
function turnTo(side) {
  document.body.dataset.view = side;
  byId("toggle").textContent = side === "map" ? "List" : "Map";
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const state = url.read();
  const q = byId("q").value.trim();
  byId("q").blur();
  const again = q === state.q; // the same words: keep the place, and look for new pages
  url.go(again ? { ...state, page: "" } : url.search({ q, near: NEAR_ME.test(q) ? state.near : "" }));
  show(again);
});
byId("q").addEventListener("input", async () => {
  const found = await ask("suggest", `/api/suggest?${new URLSearchParams({ q: byId("q").value })}`).catch(() => null);
  if (found) byId("suggestions").replaceChildren(...found.suggestions.map((one) => make("option", { value: one.text })));
});
byId("home").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  go(url.search({}));
});
byId("locate").addEventListener("click", locate);
byId("toggle").addEventListener("click", () => turnTo(document.body.dataset.view === "map" ? "list" : "map"));
byId("here").addEventListener("click", () =>
  onMap((map) => go(url.search({ q: answer?.what ?? "", place: "0", box: map.box() }))),
);
window.addEventListener("popstate", () => show());
keyboard({
  input: byId("q"),
  links: () => (openPage ? [] : results.links()),
  back: () => openPage && go({ ...url.read(), page: "" }),
});
show();
