// Names of towns on the map, the largest first, as many as have room beside each other and beside the pins.

/* global L */
import { ask } from "./api.js";
import { make } from "./dom.js";

const MOST = 50;
const LETTER = 7,
  HEIGHT = 15; // pixels, of 12 px system type, in the widest that is common
const SPACED = 1.15; // names of countries are spaced out
const REST_MS = 120; // a map that still moves is not asked about

// Where a name may stand beside its town: from which spot, and which way it runs.
const CLOSE = [
  [6, -HEIGHT / 2, "rightwards"],
  [-6, -HEIGHT / 2, "leftwards"],
  [0, 4, "centred"],
  [0, -4 - HEIGHT, "centred"],
];
const BESIDE_A_PIN = [
  [24, -HEIGHT / 2, "rightwards"],
  [0, 22, "centred"],
  [0, -22 - HEIGHT, "centred"],
  [-24, -HEIGHT / 2, "leftwards"],
];
const RIGHT_THERE = [[0, -HEIGHT / 2, "centred"]];
const SHIFT = { rightwards: 0, centred: 0.5, leftwards: 1 }; // of the width

const apart = (a, b) => a[0] > b[2] || a[2] < b[0] || a[1] > b[3] || a[3] < b[1];

/** The towns [name, lat, lon, people, kind] that have room on a map of this size, each with the stance of its name; boxes of
 * `pins` are left free. */
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
    const stances = town[4] === "country" ? RIGHT_THERE : covered ? BESIDE_A_PIN : CLOSE;
    const inside = ([left, top, right, bottom]) => left >= 0 && top >= 0 && right <= size.x && bottom <= size.y;
    const stance = stances.find(
      (one) => inside(boxed(one)) && [...pins, ...names].every((box) => apart(boxed(one), box)),
    );
    if (!stance) continue;
    names.push(boxed(stance), dot);
    found.push({ town, stance, covered });
  }
  return found;
}

export class Labels {
  /** `pins` gives the boxes of the map that are covered, in its pixels. */
  constructor(map, pins) {
    this.map = map;
    this.pins = pins;
    this.towns = [];
    this.waiting = 0;
    const pane = map.createPane("names");
    pane.style.zIndex = 450; // over the areas, under the pins
    pane.style.pointerEvents = "none";
    this.layer = L.layerGroup().addTo(map);
  }

  /** Asks for the towns of the view. A map can do without names: what fails is not told. */
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
      stance,
      covered,
    } of placed(this.towns, project, this.pins(), this.map.getSize())) {
      const size =
        kind === "country" ? "country" : population >= 1_000_000 ? "large" : population >= 100_000 ? "" : "little";
      const icon = L.divIcon({
        className: `town ${size} ${covered ? "covered" : ""}`,
        iconSize: null,
        html: make("span", { class: stance[2] }, name),
      });
      const marker = L.marker([lat, lon], { icon, pane: "names", interactive: false, keyboard: false }).addTo(
        this.layer,
      );
      Object.assign(marker.getElement().firstChild.style, { left: `${stance[0]}px`, top: `${stance[1]}px` });
    }
  }
}

/** What the map shows, as "west,south,east,north"; west is the greater where it crosses the 180th meridian. */
export function boxOf(map) {
  const bounds = map.getBounds();
  const whole = bounds.getEast() - bounds.getWest() >= 360;
  const wrap = (lon) => ((((lon + 180) % 360) + 360) % 360) - 180;
  const [west, east] = whole ? [-180, 180] : [wrap(bounds.getWest()), wrap(bounds.getEast())];
  const lat = (value) => Math.max(-90, Math.min(90, value));
  return [west, lat(bounds.getSouth()), east, lat(bounds.getNorth())].map((one) => one.toFixed(4)).join(",");
}
