// Names of towns on the map, the largest first, as many as fit without covering each other or the pins.

/* global L */
import { ask } from "./api.js";
import { make } from "./dom.js";

const MOST = 50;
const LETTER = 7,
  HEIGHT = 15; // pixels, for the widest common 12 px system font
const SPACED = 1.15; // country names have letter spacing
const REST_MS = 120; // wait until the map stops moving

// Positions of a name relative to its town: offset and alignment.
const NEXT_TO_THE_DOT = [
  [6, -HEIGHT / 2, "rightwards"],
  [-6, -HEIGHT / 2, "leftwards"],
  [0, 4, "centred"],
  [0, -4 - HEIGHT, "centred"],
];
const NEXT_TO_A_PIN = [
  [24, -HEIGHT / 2, "rightwards"],
  [0, 22, "centred"],
  [0, -22 - HEIGHT, "centred"],
  [-24, -HEIGHT / 2, "leftwards"],
];
const CENTRED = [[0, -HEIGHT / 2, "centred"]];
const SHIFT = { rightwards: 0, centred: 0.5, leftwards: 1 }; // of the width

const apart = (a, b) => a[0] > b[2] || a[2] < b[0] || a[1] > b[3] || a[3] < b[1];

/** The towns [name, lat, lon, population, kind] that fit on a map of this size, with the position of their names. The boxes
 * of `pins` stay free. */
export function placed(towns, project, pins, size) {
  const names = [];
  const found = [];
  for (const town of towns) {
    const { x, y } = project(town[1], town[2]);
    const dot = [x - 3, y - 3, x + 3, y + 3];
    if (!names.every((name) => apart(dot, name))) continue;
    const covered = !pins.every((pin) => apart(dot, pin));
    const width = town[0].length * LETTER * (town[4] === "country" ? SPACED : 1);
    const boxed = ([dx, dy, align]) => {
      const left = x + dx - SHIFT[align] * width;
      return [left, y + dy, left + width, y + dy + HEIGHT];
    };
    const positions = town[4] === "country" ? CENTRED : covered ? NEXT_TO_A_PIN : NEXT_TO_THE_DOT;
    const inside = ([left, top, right, bottom]) => left >= 0 && top >= 0 && right <= size.x && bottom <= size.y;
    const position = positions.find(
      (one) => inside(boxed(one)) && [...pins, ...names].every((box) => apart(boxed(one), box)),
    );
    if (!position) continue;
    names.push(boxed(position), dot);
    found.push({ town, position, covered });
  }
  return found;
}

export class Labels {
  /** `pins` returns the covered boxes of the map, in pixels. */
  constructor(map, pins) {
    this.map = map;
    this.pins = pins;
    this.towns = [];
    this.waiting = 0;
    const pane = map.createPane("names");
    pane.style.zIndex = 450; // above areas, below pins
    pane.style.pointerEvents = "none";
    this.layer = L.layerGroup().addTo(map);
  }

  /** Load the towns in view. Errors are ignored: the map works without names. */
  renew() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(async () => {
      const answer = await ask("towns", `/api/towns?box=${boxOf(this.map)}&most=${MOST}`).catch(() => null);
      if (!answer) return;
      this.towns = answer.towns;
      this.lay();
    }, REST_MS);
  }

  lay() {
    this.layer.clearLayers();
    if (!this.towns.length) return;
    const project = (lat, lon) => this.map.latLngToContainerPoint([lat, lon]);
    for (const {
      town: [name, lat, lon, population, kind],
      position,
      covered,
    } of placed(this.towns, project, this.pins(), this.map.getSize())) {
      const size =
        kind === "country" ? "country" : population >= 1_000_000 ? "large" : population >= 100_000 ? "" : "little";
      const icon = L.divIcon({
        className: `town ${size} ${covered ? "covered" : ""}`,
        iconSize: null,
        html: make("span", { class: position[2] }, name),
      });
      const marker = L.marker([lat, lon], { icon, pane: "names", interactive: false, keyboard: false }).addTo(
        this.layer,
      );
      Object.assign(marker.getElement().firstChild.style, { left: `${position[0]}px`, top: `${position[1]}px` });
    }
  }
}

/** The bounds of the map as "west,south,east,north"; west > east if it crosses the 180th meridian. */
export function boxOf(map) {
  const bounds = map.getBounds();
  const whole = bounds.getEast() - bounds.getWest() >= 360;
  const wrap = (lon) => ((((lon + 180) % 360) + 360) % 360) - 180;
  const [west, east] = whole ? [-180, 180] : [wrap(bounds.getWest()), wrap(bounds.getEast())];
  const lat = (value) => Math.max(-90, Math.min(90, value));
  return [west, lat(bounds.getSouth()), east, lat(bounds.getNorth())].map((one) => one.toFixed(4)).join(",");
}
