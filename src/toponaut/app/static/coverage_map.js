// A map of the targets and their numbers of pages: circles on land outlines, in plain longitude and latitude.

import { draw } from "./charts.js";

const NARROWEST = 1.5; // least height of the view in degrees of latitude
const MARGIN = 0.1; // of the span, on each side
const OUTSIDE = 0.02; // share of targets that may be outside each edge: Honolulu would shrink the mainland
const LARGEST = 1 / 45; // radius of the largest circle, as a share of the width
const ROOM = 90; // pixels of width per label
const LETTER = 8.8; // pixels per letter of a label

export class CoverageMap {
  constructor(figure) {
    this.figure = figure;
    this.drawing = draw("svg", { role: "img" });
    this.places = [];
    figure.append(this.drawing);
    new ResizeObserver(() => this.redraw()).observe(figure);
    this.outlines = fetch("/static/outlines-world.json").then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
    this.outlines.then((outlines) => {
      this.lines = outlines ? [...decoded(outlines.land, outlines.unit), ...decoded(outlines.borders, outlines.unit)] : [];
      this.landCount = outlines ? outlines.land.length : 0;
      this.redraw();
    });
  }

  show(places, label) {
    this.places = places;
    this.drawing.setAttribute("aria-label", label);
    this.redraw();
  }

  redraw() {
    const width = Math.max(240, Math.floor(this.figure.clientWidth));
    const height = Math.round(Math.min(width * 0.62, 380));
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("height", height);
    if (!this.places.length) return this.drawing.replaceChildren();
    const view = viewOf(this.places, width, height);
    const shown = this.places.map((place) => ({ ...place, x: view.x(place.lon), y: view.y(place.lat) }))
      .filter(({ x, y }) => x >= 0 && x <= width && y >= 0 && y <= height);
    const most = Math.max(1, ...shown.map((place) => place.pages));
    for (const place of shown) place.r = place.pages ? Math.max(3, Math.min(LARGEST * width, 16) * Math.sqrt(place.pages / most)) : 2.5;
    this.drawing.replaceChildren(...this.land(view, width, height), ...[...shown].reverse().map(circle), ...labels(shown, width));
    return undefined;
  }

  land(view, width, height) {
    const near = (line) => line.some(([lon, lat]) => {
      const x = view.x(lon), y = view.y(lat);
      return x > -width && x < 2 * width && y > -height && y < 2 * height;
    });
    const path = (line) => line.map(([lon, lat], at) => `${at ? "L" : "M"}${view.x(lon).toFixed(1)} ${view.y(lat).toFixed(1)}`).join("");
    const lines = this.lines ?? [];
    const land = lines.slice(0, this.landCount).filter(near).map((line) => `${path(line)}Z`).join("");
    const borders = lines.slice(this.landCount).filter(near).map(path).join("");
    return [draw("path", { class: "land", d: land }), draw("path", { class: "border", d: borders })];
  }
}

/** Decode outlines: a first point, then steps, in fractions of a degree. */
function decoded(lines, unit) {
  return lines.map((steps) => {
    let lon = 0, lat = 0;
    return Array.from({ length: steps.length / 2 }, (_, at) => {
      lon += steps[2 * at];
      lat += steps[2 * at + 1];
      return [lon * unit, lat * unit];
    });
  });
}

/** The section of the world that contains nearly all places, in the drawing's shape. */
function viewOf(places, width, height) {
  const [south, north] = bounds(places.map((place) => place.lat));
  const [west, east] = bounds(places.map((place) => place.lon));
  const lat = (south + north) / 2, lon = (west + east) / 2;
  const narrow = Math.max(0.2, Math.cos((lat * Math.PI) / 180)); // length of a degree of longitude, in degrees of latitude
  const down = Math.max(north - south, ((east - west) * narrow * height) / width, NARROWEST) * (1 + 2 * MARGIN);
  const scale = height / Math.min(down, 180);
  return { x: (degree) => width / 2 + (degree - lon) * narrow * scale, y: (degree) => height / 2 - (degree - lat) * scale };
}

function bounds(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const few = Math.floor(sorted.length * OUTSIDE);
  return [sorted[few], sorted[sorted.length - 1 - few]];
}

function circle({ name, pages, x, y, r }) {
  const title = draw("title", {}, `${name}: ${pages.toLocaleString("en-US")} ${pages === 1 ? "page" : "pages"}`);
  return draw("circle", { class: pages ? "spot" : "spot none", cx: x.toFixed(1), cy: y.toFixed(1), r: r.toFixed(1) }, title);
}

/** Names of the targets with the most pages, right or left of their circles, without overlaps. */
function labels(shown, width) {
  const taken = [];
  const drawn = [];
  for (const { name, pages, x, y, r } of shown) {
    if (!pages || drawn.length >= width / ROOM) break;
    if (taken.some((other) => Math.hypot(other.x - x, other.y - y) < other.r + r)) continue; // one name per cluster
    const text = name.split(",")[0];
    const long = LETTER * text.length;
    const free = [x + r + 4, x - r - 4 - long].find((start) => start > 0 && start + long < width
      && !taken.some((other) => Math.abs(other.y - y) < 16 && start < other.end && start + long > other.start));
    if (free === undefined) continue;
    taken.push({ x, y, r, start: free, end: free + long });
    const before = free < x;
    drawn.push(draw("text", {
      class: "name", x: (before ? x - r - 4 : free).toFixed(1), y: (y + 4.5).toFixed(1), "text-anchor": before ? "end" : "start",
    }, text));
  }
  return drawn;
}
