// The map of the search page: pins of pages, the place of the query, the addresses of an open page.

import { get } from "./api.js";
import { Legend, baseMap, boxOf, circlesOf, maplibre } from "./base_map.js";
import { make, many } from "./dom.js";
import { PIN_SOURCES, Pins, areaLayer, roomLayer } from "./pins.js";
import { nameTowns } from "./towns.js";

const CLOSEST = 13; // zoom of a search: a few streets
const LISTED = 6; // pages in a popup
const ZOOM_OF = { continent: 2, country: 4, state: 5, county: 8, city: 10, neighbourhood: 12, landmark: 13 };
const REACH_KM = { continent: 5000, country: 3000, state: 600, county: 80, city: 50, neighbourhood: 10, landmark: 10 };
const TRIMMED = 0.05; // share of pins that may be outside each edge: Honolulu would shrink the mainland

const layers = (colour) => [
  areaLayer(colour),
  { id: "asked", type: "fill", source: "asked", paint: { "fill-color": colour.asked, "fill-opacity": 0.06 } },
  { id: "asked-edge", type: "line", source: "asked", paint: { "line-color": colour.asked, "line-width": 1.5, "line-dasharray": [3, 2.5] } },
  { id: "chosen", type: "fill", source: "chosen", paint: { "fill-color": colour.chosen, "fill-opacity": 0.16 } },
  { id: "chosen-edge", type: "line", source: "chosen", paint: { "line-color": colour.chosen, "line-width": 1.5, "line-dasharray": [2, 2.5] } },
  roomLayer(),
];

/**
 * The map of a served crawl (/api/about); null without WebGL. `on` has hover(numbers or null), open(url), card(number) and
 * moved().
 */
export async function mapView(element, { bounds, basemap, tiles }, on) {
  const sources = { ...PIN_SOURCES, asked: {}, chosen: {} };
  const map = await baseMap(element, { bounds, ground: { basemap, tiles }, sources, layers, label: "Map of the results" });
  return map && new MapView(map, await maplibre(), element, on);
}

class MapView {
  constructor(map, library, element, on) {
    Object.assign(this, { map, library, on, placed: false, touched: false, popup: null, cards: null, marks: [], spots: [], again: () => {} });
    this.legend = new Legend(matchMedia("(min-width: 60rem)").matches);
    map.addControl(this.legend, "bottom-left");
    this.pins = new Pins(map, library, { hover: on.hover, open: (pages, vague, at) => this.list(pages, vague, at) });
    nameTowns(map);
    for (const kind of ["pointerdown", "wheel", "keydown"])
      element.addEventListener(kind, () => (this.touched = true), { capture: true, passive: true });
    map.on("moveend", () => this.touched && on.moved());
    map.on("resize", () => this.touched || this.again());
  }

  box() {
    return this.placed ? boxOf(this.map) : "";
  }

  /** Show the first view, if there is no other yet. */
  rest() {
    this.placed = true;
  }

  /** Whether any of these pins is in view. */
  has(pins) {
    const view = this.map.getBounds();
    return pins.some((pin) => view.contains([pin[2], pin[1]]));
  }

  /** Show pins of pages, or those of these cards of the places view. */
  show(pins, cards = null) {
    this.popup?.remove();
    this.cards = cards;
    this.pins.show(pins, cards ? "place" : "page");
    this.explain();
  }

  /** The legend of what is on the map. */
  explain() {
    const { pins } = this.pins;
    const [one, several] = this.cards ? ["Place", "places"] : ["Page", "pages"];
    const entries = [
      [pins.some((pin) => !pin[3]), "exact", `${one} with an exact address`],
      [pins.some((pin) => pin[3]), "vague", `${one} with an approximate area`],
      [pins.length > 1, "many", `Several ${several}: click to zoom in`],
      [this.spots.length, "spot", "Distances start here"],
      [this.marks.length, "chosen", "Address of the open page"],
    ];
    this.legend.set(entries.filter(([shown]) => shown).map(([, kind, meaning]) => [kind, meaning]));
  }

  /** Show nearly all pins around the query's place, or else that place, or else the bounds. */
  fit(pins, where, bounds = null) {
    this.touched = false;
    const reach = where ? 1000 * Math.max(REACH_KM[where.place?.kind] ?? REACH_KM.city, where.radius_km ?? 0) : Infinity;
    const from = where && new this.library.LngLat(where.lon, where.lat);
    const within = from ? pins.filter((pin) => from.distanceTo({ lng: pin[2], lat: pin[1] }) <= reach) : pins;
    const farther = !within.length && pins.length && where.manner !== "in"; // "near" may have to go farther
    const near = farther ? [...pins, [0, where.lat, where.lon, 0]] : within;
    const around = near.length ? boundsOf(near) : !where && bounds;
    if (around) this.look(around, 44, CLOSEST);
    else if (where) this.map.jumpTo({ center: [where.lon, where.lat], zoom: ZOOM_OF[where.place?.kind] ?? 10 });
    this.rest();
  }

  /** Show a box, as returned by box(). */
  frame(box) {
    const [west, south, east, north] = box.split(",").map(Number);
    if (box === this.box()) return;
    this.touched = false;
    this.look([west, south, east < west ? east + 360 : east, north], 0, 22);
    this.rest();
  }

  /** Show bounds. They stay in view when the map changes its size, until the reader moves it. */
  look(bounds, padding, maxZoom) {
    this.again = () => this.map.fitBounds(bounds, { padding, maxZoom, animate: false });
    this.again();
  }

  /** Show where distances are measured from, and the radius of the query. */
  spot(where) {
    for (const spot of this.spots) spot.remove();
    const shown = where && where.manner !== "in";
    this.spots = shown ? [this.mark("spot", where)] : [];
    this.map.getSource("asked").setData(circlesOf(shown && where.radius_km ? [[where.lon, where.lat, where.radius_km]] : []));
    this.explain();
  }

  mark(kind, { lat, lon }) {
    const element = make("div", { class: `mark ${kind}`, "aria-label": "", role: "presentation" });
    return new this.library.Marker({ element }).setLngLat([lon, lat]).addTo(this.map);
  }

  light(pages) {
    this.pins.light(pages);
  }

  /** Show the addresses of the open page. */
  choose(points) {
    this.popup?.remove();
    for (const mark of this.marks) mark.remove();
    const once = [...new Map(points.map((point) => [`${point.lat},${point.lon},${point.precision}`, point])).values()];
    this.marks = once.map((point) => this.mark(point.precision === "given" ? "chosen" : "chosen vague", point));
    const vague = once.filter((point) => point.precision !== "given");
    this.map.getSource("chosen").setData(circlesOf(vague.map((point) => [point.lon, point.lat, point.radius_km])));
    this.explain();
    if (!points.length) return this.rest();
    this.touched = false;
    const bounds = boundsOf(points.map((point) => [0, point.lat, point.lon, point.precision === "given" ? 0 : point.radius_km]));
    const view = this.map.getBounds();
    const seen = view.contains(bounds.slice(0, 2)) && view.contains(bounds.slice(2));
    if (!this.placed || !seen || this.map.getZoom() < 7) this.look(bounds, 50, CLOSEST - 1);
    return this.rest();
  }

  /** Show the pages or cards of a location in a popup. */
  async list(numbers, vague, at) {
    this.touched = false; // the popup may move the map
    const first = [...numbers].slice(0, LISTED);
    const list = make("ul", { class: "popup" }, make("li", { class: "soft" }, "…"));
    const note = vague ? make("p", { class: "soft small" }, "Approximate: only the area is known.") : null;
    this.popup?.remove();
    this.popup = new this.library.Popup({ maxWidth: "280px", offset: 12 }).setLngLat(at).setDOMContent(make("div", {}, list, note)).addTo(this.map);
    const entries = this.cards ? first.map((number) => this.cardEntry(number)) : await this.pageEntries(first);
    const rest = numbers.size - first.length;
    const more = this.cards ? "more place" : "more page";
    list.replaceChildren(...entries, ...(rest > 0 ? [make("li", { class: "soft small" }, `and ${many(rest, more)}`)] : []));
    list.querySelector("button")?.focus({ preventScroll: true });
  }

  async pageEntries(numbers) {
    const hits = await Promise.all(numbers.map((number) => get(`/api/hit?number=${number}`).catch(() => null)));
    return hits.filter(Boolean).map((hit) => entry(hit.organisation || hit.title, hit.address, () => this.on.open(hit.url)));
  }

  cardEntry(number) {
    const { organisation, address } = this.cards[number];
    return entry(organisation || address, organisation ? address : "", () => this.on.card(number));
  }
}

function entry(title, address, onclick) {
  const open = make("button", { type: "button", class: "plain", onclick }, title);
  return make("li", {}, open, address ? make("div", { class: "soft small" }, address) : null);
}

/** The bounds of nearly all pins, including the radius of areas: [west, south, east, north]. */
function boundsOf(pins) {
  const few = pins.length > 50 ? Math.floor(pins.length * TRIMMED) : 0;
  const middle = (index) => {
    const sorted = pins.map((pin) => pin[index]).sort((a, b) => a - b);
    return [sorted[few], sorted[sorted.length - 1 - few]];
  };
  const [[south, north], [west, east]] = [middle(1), middle(2)];
  const inside = pins.filter((pin) => pin[1] >= south && pin[1] <= north && pin[2] >= west && pin[2] <= east);
  const bounds = [west, south, east, north];
  for (const [, lat, lon, radius] of inside) {
    const high = (radius || 0) / 111.2;
    const wide = high / Math.max(0.05, Math.cos((lat * Math.PI) / 180));
    bounds[0] = Math.min(bounds[0], lon - wide);
    bounds[1] = Math.max(-85, Math.min(bounds[1], lat - high));
    bounds[2] = Math.max(bounds[2], lon + wide);
    bounds[3] = Math.min(85, Math.max(bounds[3], lat + high));
  }
  return bounds;
}
