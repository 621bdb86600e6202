// Pins on the map. Pins that would overlap become one marker with their number; a click on it zooms in.
//
// A pin is [page number, lat, lon, radius_km, score]. A pin with a radius is an area that contains the address: it is drawn
// as a soft disc of that radius, and its marker has a soft edge.

/* global L */
import { many, make } from "./dom.js";

const APART = 46; // least distance of two markers in pixels, the width of a large one
const MOST_SHOWN = 400; // markers
const AREAS_SHOWN = 60; // discs
const LEAST_DISC = 16; // least radius in pixels: the marker hides smaller ones

/** Group pins for a zoom level. `project` returns pixels. The first pin of a group, the best, is its centre. */
export function grouped(pins, project, apart = APART) {
  const cells = new Map();
  const groups = [];
  const at = (column, row) => cells.get(`${column},${row}`) ?? [];
  for (const pin of pins) {
    const spot = project(pin[1], pin[2]);
    const column = Math.floor(spot.x / apart),
      row = Math.floor(spot.y / apart);
    let nearest = null,
      least = apart ** 2;
    for (let dx = -1; dx <= 1; dx++)
      for (let dy = -1; dy <= 1; dy++)
        for (const group of at(column + dx, row + dy)) {
          const far = (group.x - spot.x) ** 2 + (group.y - spot.y) ** 2;
          if (far < least) [nearest, least] = [group, far];
        }
    if (nearest) nearest.pins.push(pin);
    else {
      const group = { x: spot.x, y: spot.y, pins: [pin] };
      groups.push(group);
      cells.set(`${column},${row}`, [...at(column, row), group]);
    }
  }
  return groups;
}

/** A group with its page numbers and centre, and whether all pins have the same location. */
function summed({ pins }) {
  const lat = pins.reduce((sum, pin) => sum + pin[1], 0) / pins.length;
  const lon = pins.reduce((sum, pin) => sum + pin[2], 0) / pins.length;
  const [, firstLat, firstLon, radius] = pins[0];
  const one = pins.every((pin) => pin[1] === firstLat && pin[2] === firstLon);
  const vague = pins.every((pin) => pin[3] > 0);
  return { pins, lat, lon, one, vague, radius, pages: new Set(pins.map((pin) => pin[0])) };
}

export class Clusters {
  /** `on` has hover(pages or null), open(group, latlng) for groups that zooming cannot split, and optionally drawn(). */
  constructor(map, on) {
    this.map = map;
    this.on = on;
    this.pins = [];
    this.markers = [];
    this.layer = L.layerGroup().addTo(map);
    this.discs = L.layerGroup().addTo(map);
    map.createPane("areas").style.zIndex = 390; // below all other shapes; map.css makes it pale
    this.lit = null;
    map.on("zoomend moveend", () => this.draw());
  }

  show(pins) {
    this.pins = pins;
    this.draw();
  }

  bounds() {
    return this.pins.length ? L.latLngBounds(this.pins.map((pin) => [pin[1], pin[2]])) : null;
  }

  draw() {
    const zoom = this.map.getZoom();
    if (zoom === undefined) return;
    const view = this.map.getBounds().pad(0.2);
    const groups = grouped(this.pins, (lat, lon) => this.map.project([lat, lon], zoom)).map(summed);
    const shown = groups.filter((group) => view.contains([group.lat, group.lon])).slice(0, MOST_SHOWN);
    this.layer.clearLayers();
    this.markers = shown.map((group) => ({ group, marker: this.marker(group).addTo(this.layer) }));
    this.drawDiscs(view);
    this.light(this.lit);
    this.on.drawn?.();
  }

  /** The boxes of the markers in pixels of the map: [left, top, right, bottom]. */
  boxes() {
    return this.markers.map(({ marker }) => {
      const { x, y } = this.map.latLngToContainerPoint(marker.getLatLng());
      const half = marker.options.icon.options.iconSize[0] / 2 + 2;
      return [x - half, y - half, x + half, y + half];
    });
  }

  drawDiscs(view) {
    this.discs.clearLayers();
    const areas = new Map();
    const wide = (lat, km) =>
      (km * 1000 * 256 * 2 ** this.map.getZoom()) / (40_075_017 * Math.cos((lat * Math.PI) / 180)) >= LEAST_DISC;
    for (const pin of this.pins)
      if (pin[3] > 0 && view.contains([pin[1], pin[2]]) && wide(pin[1], pin[3]))
        areas.set(`${pin[1]},${pin[2]},${pin[3]}`, pin);
    for (const [, lat, lon, radius] of [...areas.values()].slice(0, AREAS_SHOWN))
      L.circle([lat, lon], { radius: radius * 1000, className: "area", pane: "areas", interactive: false }).addTo(
        this.discs,
      );
  }

  marker(group) {
    const pages = group.pages.size;
    const kinds = [pages > 1 ? "many" : group.vague ? "" : "exact", group.vague ? "vague" : ""]
      .filter(Boolean)
      .join(" ");
    const size = (pages === 1 ? 18 : pages < 10 ? 30 : pages < 100 ? 36 : 44) + (group.vague ? 8 : 0); // the soft rim
    const title = many(pages, "page") + (group.vague ? ", approximate location" : "");
    const face = make("span", {}, pages > 1 ? String(pages) : "");
    const icon = L.divIcon({ className: `pin ${kinds}`, iconSize: [size, size], html: face });
    const marker = L.marker([group.lat, group.lon], { icon, title, alt: title, riseOnHover: true });
    marker.on("mouseover", () => this.on.hover(group.pages)).on("mouseout", () => this.on.hover(null));
    return marker.on("click", () => this.closer(group, marker));
  }

  closer(group, marker) {
    const most = this.map.getMaxZoom();
    if (group.pages.size === 1 || group.one || this.map.getZoom() >= most) this.on.open(group, marker.getLatLng());
    else
      this.map.fitBounds(L.latLngBounds(group.pins.map((pin) => [pin[1], pin[2]])), {
        padding: [70, 70],
        maxZoom: most,
      });
  }

  /** Highlight the markers of these pages. */
  light(pages) {
    this.lit = pages;
    for (const { group, marker } of this.markers) {
      const lit = pages !== null && [...pages].some((page) => group.pages.has(page));
      marker.getElement()?.classList.toggle("lit", lit);
      marker.setZIndexOffset(lit ? 1000 : 0);
    }
  }
}
