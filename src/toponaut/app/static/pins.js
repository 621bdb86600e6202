// Pins on the map. Pins that would overlap become one marker with their number (MapLibre's clusters); a click on it zooms in.
//
// A pin is [number of a page or place, lat, lon, radius_km, score]. A pin with a radius is an area that contains the address: it is drawn
// as a soft disc of that radius, and its marker has a soft edge. Markers are buttons, so that the keyboard reaches them.

import { circlesOf, pointsOf } from "./base_map.js";
import { MAX_ZOOM } from "./ground.js";
import { make, many } from "./dom.js";

const APART = 46; // least distance of two markers in pixels, the width of a large one
const MOST_SHOWN = 400; // markers
const AREAS_SHOWN = 60; // discs
const SIZES = [18, 30, 36, 44]; // of markers of 1, under 10, under 100 and more
const SOFT_RIM = 8;

export const PIN_SOURCES = {
  areas: {},
  pins: { cluster: true, clusterRadius: APART, clusterMaxZoom: MAX_ZOOM, maxzoom: MAX_ZOOM + 1 },
};

/** The discs of areas. */
export const areaLayer = (colour) => ({ id: "areas", type: "fill", source: "areas", paint: { "fill-color": colour.pin, "fill-opacity": 0.13 } });

/** Room for the markers, which names avoid. The topmost layer is placed first. */
export const roomLayer = () => ({
  id: "pins-room", type: "symbol", source: "pins",
  layout: { "icon-image": ["case", ["has", "point_count"], "room-36", "room-18"], "icon-allow-overlap": true },
}); // prettier-ignore

export class Pins {
  /** `on` has hover(numbers or null) and open(numbers, vague, lngLat) for a marker that zooming cannot split. */
  constructor(map, library, on) {
    Object.assign(this, { map, library, on, pins: [], noun: "page", lit: null, shown: new Map(), state: 0 });
    for (const size of [18, 36])
      map.addImage(`room-${size}`, { width: size, height: size, data: new Uint8Array(size * size * 4) });
    map.on("sourcedata", (event) => event.sourceId === "pins" && this.draw());
    map.on("moveend", () => this.draw());
  }

  show(pins, noun) {
    Object.assign(this, { pins, noun });
    this.state++;
    this.map.getSource("pins").setData(pointsOf(pins.map(([, lat, lon], number) => [lon, lat, { number }])));
    const areas = new Map(pins.filter((pin) => pin[3] > 0).map((pin) => [pin.slice(1, 4).join(), [pin[2], pin[1], pin[3]]]));
    this.map.getSource("areas").setData(circlesOf([...areas.values()].slice(0, AREAS_SHOWN)));
    this.clear(() => true);
  }

  /** Make the markers of the clusters and pins in view. */
  draw() {
    if (!this.map.isSourceLoaded("pins")) return;
    const view = this.map.getBounds();
    const found = new Map();
    for (const { properties, geometry } of this.map.querySourceFeatures("pins"))
      if (view.contains(geometry.coordinates) && found.size < MOST_SHOWN)
        found.set(`${this.state} ${properties.cluster_id ?? ""} ${properties.number ?? ""}`, { properties, at: geometry.coordinates });
    this.clear((key) => !found.has(key));
    for (const [key, { properties, at }] of found) if (!this.shown.has(key)) this.add(key, properties, at);
  }

  clear(unwanted) {
    for (const [key, { marker }] of this.shown)
      if (unwanted(key)) {
        marker?.remove();
        this.shown.delete(key);
      }
  }

  async add(key, properties, at) {
    const entry = { marker: null, pages: new Set() };
    this.shown.set(key, entry);
    const pins = await this.members(properties);
    if (this.shown.get(key) !== entry || !pins.length) return;
    entry.pages = new Set(pins.map((pin) => pin[0]));
    const vague = pins.every((pin) => pin[3] > 0);
    const button = face(entry.pages.size, vague, this.noun);
    button.addEventListener("pointerenter", () => this.on.hover(entry.pages));
    button.addEventListener("pointerleave", () => this.on.hover(null));
    button.addEventListener("click", (event) => {
      event.stopPropagation(); // the map would close the popup
      this.closer(entry.pages, pins, vague, at);
    });
    entry.marker = new this.library.Marker({ element: button }).setLngLat(at).addTo(this.map);
    this.lightOne(entry);
  }

  /** The pins of a cluster, or the only one. */
  async members({ cluster_id: cluster, number }) {
    if (cluster === undefined) return [this.pins[number]].filter(Boolean); // a tile may be older than the pins
    const leaves = await this.map.getSource("pins").getClusterLeaves(cluster, this.pins.length, 0).catch(() => []);
    return leaves.map((leaf) => this.pins[leaf.properties.number]).filter(Boolean);
  }

  closer(pages, pins, vague, at) {
    const one = pins.every((pin) => pin[1] === pins[0][1] && pin[2] === pins[0][2]);
    if (pages.size === 1 || one || this.map.getZoom() >= MAX_ZOOM - 0.1) return this.on.open(pages, vague, at);
    const bounds = new this.library.LngLatBounds();
    for (const pin of pins) bounds.extend([pin[2], pin[1]]);
    return this.map.fitBounds(bounds, { padding: 70, maxZoom: MAX_ZOOM });
  }

  /** Highlight the markers of these pages. */
  light(pages) {
    this.lit = pages;
    for (const entry of this.shown.values()) this.lightOne(entry);
  }

  lightOne({ marker, pages }) {
    const lit = this.lit !== null && [...this.lit].some((page) => pages.has(page));
    marker?.getElement().classList.toggle("lit", lit);
  }
}

function face(pages, vague, noun) {
  const kinds = [pages > 1 ? "many" : vague ? "" : "exact", vague ? "vague" : ""].filter(Boolean).join(" ");
  const size = SIZES[pages === 1 ? 0 : pages < 10 ? 1 : pages < 100 ? 2 : 3] + (vague ? SOFT_RIM : 0);
  const title = many(pages, noun) + (vague ? ", approximate location" : "");
  const button = make("button", { type: "button", class: `pin ${kinds}`, title, "aria-label": title }, make("span", {}, pages > 1 ? String(pages) : ""));
  Object.assign(button.style, { width: `${size}px`, height: `${size}px` });
  return button;
}
