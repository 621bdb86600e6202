// The search page. The address line holds what is shown (state.js); show() brings the page there, whether a search, a link or
// the back button changed it.
//
//   state -> /api/search, /api/pins -> understood.js, facets.js, results.js | map.js -> outlines.js, labels.js, clusters.js
//         -> /api/page              -> page_view.js, explained.js

import { Failure, ask, get } from "./api.js";
import { byId, many } from "./dom.js";
import { nothing, problem, start, waiting, whereAreYou } from "./empty.js";
import { facets } from "./facets.js";
import { keyboard } from "./keyboard.js";
import { MapView } from "./map.js";
import { closing, pageView } from "./page_view.js";
import { Results } from "./results.js";
import * as url from "./state.js";
import { told, understood } from "./understood.js";

const HITS = 10; // of a step
const PINS = 2000;
const PATIENCE_MS = 200; // an answer that comes sooner needs no sign of waiting
const WORLD = "-180,-85,180,85";
const NEAR_ME = /\b(near|around|close to|next to) (me|here)\b|\bnearby\s*$|\bin my (area|town|city)\b/i;

const results = new Results(byId("results"), {
  hover: (pages) => map.light(pages),
  go: (change) => go({ ...url.read(), ...change }),
  within: (place) => go(url.search({ q: answer?.what ?? "", place: String(place) })),
  more,
});
const map = new MapView(byId("map"), {
  hover: (pages) => results.light(pages),
  open: (page) => go({ ...url.read(), page }),
  moved: () => {
    byId("here").hidden = false;
    byId("none-here").hidden = true;
  },
});
let about = null; // what is served, as a promise
let answer = null; // to what is asked now
let shown = null; // what was asked for the list, and the page that is open
let openPage = "";
let scrolled = 0; // the list, while a page is open

function served() {
  about ??= get("/api/about").catch((failure) => {
    about = null; // it is asked for again
    throw failure;
  });
  return about;
}

function go(state) {
  if (url.go(state)) show();
}

async function show(anew = false) {
  const state = url.read();
  const asked = url.asked(state);
  if (asked !== shown || anew) {
    shown = asked;
    scrolled = 0;
    byId("q").value = state.q;
    byId("here").hidden = byId("none-here").hidden = true;
    byId("side").scrollTop = 0;
    await Promise.all([list(state), state.page ? view(state.page) : close()]);
  } else if (state.page !== openPage) await (state.page ? view(state.page) : close());
}

// --- the list and the map ----------------------------------------------------------------------------------------------

async function list(state) {
  const query = url.asked(state);
  const current = () => shown === query; // nobody has gone on to something else
  answer = null;
  if (NEAR_ME.test(state.q) && !state.near) {
    map.rest();
    return head([], [], [whereAreYou(locate)], "Where are you?");
  }
  const slow = setTimeout(() => current() && results.clear(waiting()), PATIENCE_MS);
  byId("side").setAttribute("aria-busy", "true");
  try {
    const pins = ask("pins", `/api/pins?${query || `box=${WORLD}`}&most=${PINS}`);
    pins.catch(() => {}); // it is awaited below, if the search does not fail first
    const [found, told] = await Promise.all([
      ask("search", `/api/search?${query}&limit=${HITS}`),
      query ? null : served(),
    ]);
    clearTimeout(slow);
    if (!found || !current()) return;
    if (query) answered(found, state);
    else welcome(found, told);
    const on = await pins;
    if (on && current()) await pinned(on.pins, state);
  } catch (failure) {
    if (current()) failed(failure);
  } finally {
    clearTimeout(slow);
    if (current()) byId("side").removeAttribute("aria-busy");
  }
}

/** The parts of the left side, and what a screen reader hears. */
function head(top, places, instead, status) {
  byId("understood").replaceChildren(...top);
  byId("facets").replaceChildren(...places);
  if (instead) results.clear(...instead);
  byId("status").textContent = status;
}

function answered(found, state) {
  answer = found;
  const none = found.hits.length === 0;
  head(
    understood(found, state, go),
    state.box ? [] : facets(found, go), // they would count what lies elsewhere
    none ? [nothing(found, state, go)] : null,
    `${many(found.total, "page")} for ${told(found)}`,
  );
  if (!none) results.show(found, state);
  document.title = `${told(found)} - Toponaut`;
  map.spot(found.where);
}

function welcome(found, told) {
  head([], [], [start(told, facets(found, go), go)], "");
  document.title = `${told.name} - Toponaut`;
  map.spot(null);
}

async function pinned(pins, state) {
  map.show(pins);
  if (state.box) map.frame(state.box);
  else if (!state.page || !map.placed) map.fit(pins, answer?.where, pins.length ? null : (await served()).bounds);
  byId("none-here").hidden = !answer?.total || map.has(pins);
}

async function more(offset) {
  const state = url.read();
  const further = await ask("search", `/api/search?${url.asked(state)}&limit=${HITS}&offset=${offset}`).catch(failed);
  if (!further) return;
  results.add(further, state);
  results.links()[offset]?.focus();
}

function failed(failure) {
  if (!(failure instanceof Failure)) throw failure;
  head([], [], [problem(failure, () => show(true))], failure.message);
  map.show([]);
  map.rest();
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
    map.light(page.hit ? new Set([page.hit.number]) : null);
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

/** Points or addresses on the map. */
function look(spots) {
  map.choose(spots.filter((spot) => spot.lat !== null).map((spot) => ({ ...spot, radius_km: spot.radius_km ?? 4 })));
}

function close() {
  if (!openPage) return;
  const link = results.links().find((one) => new URL(one.href).searchParams.get("page") === openPage);
  openPage = "";
  byId("page").hidden = true;
  byId("page").replaceChildren();
  byId("side").hidden = false;
  byId("side").scrollTop = scrolled;
  map.choose([]);
  map.light(null);
  link?.focus({ preventScroll: true });
}

// --- what people do ----------------------------------------------------------------------------------------------------

function locate() {
  if (!navigator.geolocation)
    return failed(new Failure("This browser does not tell where you are.", "Name the place: “pizza in Lisbon”."));
  const typed = byId("q").value.trim();
  const q = typed === answer?.query && answer.where?.place ? answer.what : typed; // here, instead of the place that it names
  navigator.geolocation.getCurrentPosition(
    ({ coords }) =>
      go(url.search({ q: q || "near me", near: `${coords.latitude.toFixed(4)},${coords.longitude.toFixed(4)}` })),
    (error) =>
      failed(
        new Failure(
          `Your place is not known: ${error.message || "the browser does not say"}.`,
          "Allow it in the browser, or name the place: “pizza in Lisbon”.",
        ),
      ),
    { timeout: 10_000, maximumAge: 300_000 },
  );
}

/** On a phone there is room for one of them: "list" or "map". */
function turnTo(side) {
  document.body.dataset.view = side;
  byId("toggle").textContent = side === "map" ? "List" : "Map";
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const state = url.read();
  const q = byId("q").value.trim();
  byId("q").blur();
  const again = q === state.q; // the same words: where they are looked for stays, and there may be more by now
  url.go(again ? { ...state, page: "" } : url.search({ q, near: NEAR_ME.test(q) ? state.near : "" }));
  show(again);
});
byId("home").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  go(url.search({}));
});
byId("locate").addEventListener("click", locate);
byId("toggle").addEventListener("click", () => turnTo(document.body.dataset.view === "map" ? "list" : "map"));
byId("here").addEventListener("click", () => go(url.search({ q: answer?.what ?? "", place: "0", box: map.box() })));
window.addEventListener("popstate", () => show());
served().then(
  ({ tiles }) => tiles && map.tiles(tiles),
  () => {},
); // who needs it tells of a failure
keyboard({
  input: byId("q"),
  links: () => (openPage ? [] : results.links()),
  back: () => openPage && go({ ...url.read(), page: "" }),
});
show();
