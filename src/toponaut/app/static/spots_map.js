// A map of places with their numbers of pages: circles and names. Of the dashboard, and of reports (report_map.js).

import { Legend, baseMap, pointsOf } from "./base_map.js";
import { count } from "./dom.js";

const OUTSIDE = 0.02; // share of places that may be outside each edge: Honolulu would shrink the mainland
const LEAST_SPAN = 0.3; // degrees
const LARGEST = 22; // radius in pixels
const SMALLEST = 3.5;

const circles = (colour) => [
  {
    id: "spots", type: "circle", source: "spots", layout: { "circle-sort-key": ["-", ["get", "radius"]] },
    paint: {
      "circle-radius": ["get", "radius"], "circle-stroke-width": ["match", ["get", "kind"], "none", 1.5, 1],
      "circle-color": ["match", ["get", "kind"], "none", colour.land, "away", colour.asked, colour.pin],
      "circle-opacity": ["match", ["get", "kind"], "away", 0.45, 0.72], "circle-stroke-color": ["match", ["get", "kind"], "none", colour.name, colour.halo],
    },
  },
  {
    id: "spot-names", type: "symbol", source: "spots", filter: ["!=", ["get", "kind"], "none"],
    layout: {
      "text-field": ["get", "name"], "text-font": ["Noto Sans Bold", "system-ui", "sans-serif"], "text-size": 13, "symbol-sort-key": ["-", ["get", "radius"]],
      "text-variable-anchor": ["left", "right", "top", "bottom"], "text-radial-offset": ["+", 0.35, ["/", ["get", "radius"], 13]], "text-justify": "auto",
    },
    paint: { "text-color": colour.ink, "text-halo-color": colour.halo, "text-halo-width": 1.6 },
  },
]; // prettier-ignore

const TARGETS = { spot: "Pages about a target", away: "Pages about another place", none: "Target without pages" };
const SIGNS = { spot: "circle", away: "away", none: "none" };
const pagesOf = (pages) => `${count(pages)} ${pages === 1 ? "page" : "pages"}`;

export class SpotsMap {
  /** `meanings` are for the legend; `describe` returns the text of a place for its popup. */
  constructor(element, { ground = {}, label = "Map", meanings = TARGETS, describe = ({ full, pages }) => `${full}: ${pagesOf(pages)}` } = {}) {
    Object.assign(this, { meanings, describe, framed: "", legend: new Legend(false) });
    const options = { ground: { towns: false, ...ground }, sources: { spots: {} }, layers: circles, label, scroll: false };
    this.ready = baseMap(element, options).then((map) => {
      if (map) this.prepare(map);
      return map;
    });
  }

  prepare(map) {
    map.addControl(this.legend, "bottom-left");
    const popup = ({ properties, geometry }) =>
      new window.maplibregl.Popup({ offset: 8 }).setLngLat(geometry.coordinates).setText(this.describe(properties)).addTo(map);
    map.on("click", "spots", ({ features }) => popup(features[0]));
    map.on("mousemove", "spots", () => (map.getCanvas().style.cursor = "pointer"));
    map.on("mouseleave", "spots", () => (map.getCanvas().style.cursor = ""));
  }

  /** Show places with name, lat, lon, pages and, if they are no targets, away. `label` describes the map in words. */
  async show(places, label) {
    const map = await this.ready;
    if (!map) return;
    map.getCanvas().setAttribute("aria-label", label);
    const most = Math.max(1, ...places.map((place) => place.pages));
    const spots = places.map((place) => [place.lon, place.lat, spot(place, most)]);
    map.getSource("spots").setData(pointsOf(spots));
    const kinds = new Set(spots.map(([, , { kind }]) => kind));
    this.legend.set(Object.keys(SIGNS).filter((kind) => kinds.has(kind)).map((kind) => [SIGNS[kind], this.meanings[kind]]));
    const frame = places.length ? frameOf(places) : null;
    if (frame && frame.join() !== this.framed) map.fitBounds(frame, { padding: 40, maxZoom: 11, animate: false });
    this.framed = frame?.join() ?? "";
  }
}

function spot({ name, pages, away = false }, most) {
  const kind = pages ? (away ? "away" : "spot") : "none";
  const radius = pages ? Math.max(SMALLEST, LARGEST * Math.sqrt(pages / most)) : SMALLEST;
  return { name: name.split(",")[0], full: name, pages, kind, radius };
}

/** A box with nearly all places of the targets: [west, south, east, north]. */
function frameOf(places) {
  const wanted = places.filter((place) => !place.away);
  const edges = (key) => {
    const sorted = (wanted.length ? wanted : places).map((place) => place[key]).sort((a, b) => a - b);
    const few = Math.floor(sorted.length * OUTSIDE);
    const [low, high] = [sorted[few], sorted[sorted.length - 1 - few]];
    const more = Math.max(0, LEAST_SPAN - (high - low)) / 2;
    return [low - more, high + more];
  };
  const [[south, north], [west, east]] = [edges("lat"), edges("lon")];
  return [west, south, east, north];
}
