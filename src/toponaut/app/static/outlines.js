// The base map without a tile server: land, borders and states, drawn from three files that ship with Toponaut
// (tools/outlines.py). A view loads the file it needs; the fine one (550 KB) only after user input, so that the first view
// does not wait for it.
//
// Each line is a Float32Array of Web Mercator coordinates, 0..1 from west to east and north to south, with its bounding
// box: drawing takes one multiplication per point, and most lines are skipped by their box.

/* global L */

const LEVELS = [
  [0, "world"],
  [4, "middle"],
  [7, "fine"],
]; // from which zoom
const STATES_FROM = 4;
const NORTHERNMOST = 85.0511; // the edge of Web Mercator

const y = (lat) => {
  const sine = Math.sin((Math.max(-NORTHERNMOST, Math.min(NORTHERNMOST, lat)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
};

function unpack(steps, unit) {
  const points = new Float32Array(steps.length);
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0, lon = 0, lat = 0; k < steps.length; k += 2) {
    lon += steps[k];
    lat += steps[k + 1];
    points[k] = (lon * unit) / 360 + 0.5;
    points[k + 1] = y(lat * unit);
    box[0] = Math.min(box[0], points[k]);
    box[1] = Math.min(box[1], points[k + 1]);
    box[2] = Math.max(box[2], points[k]);
    box[3] = Math.max(box[3], points[k + 1]);
  }
  return { points, box };
}

async function load(name) {
  const data = await (await fetch(`/static/outlines-${name}.json`, { credentials: "same-origin" })).json();
  const lines = (kind) => data[kind].map((steps) => unpack(steps, data.unit));
  return { land: lines("land"), borders: lines("borders"), states: lines("states") };
}

/** Colours are from map.css, so that they follow the light or dark theme. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--map-${name}`).trim();
}

/** Add lines to a path, skipping points within half a pixel of the last. */
function trace(pen, lines, left, top, across, pixels, ring) {
  const right = left + across,
    bottom = top + across;
  const scale = pixels / across;
  for (const { points, box } of lines) {
    if (box[0] > right || box[2] < left || box[1] > bottom || box[3] < top) continue;
    let lastX = (points[0] - left) * scale,
      lastY = (points[1] - top) * scale;
    pen.moveTo(lastX, lastY);
    for (let k = 2; k < points.length; k += 2) {
      const x = (points[k] - left) * scale,
        down = (points[k + 1] - top) * scale;
      if (Math.abs(x - lastX) < 0.5 && Math.abs(down - lastY) < 0.5 && k < points.length - 2) continue;
      pen.lineTo(x, down);
      lastX = x;
      lastY = down;
    }
    if (ring) pen.closePath();
  }
}

function draw(canvas, ground, coords, size) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = canvas.height = size * ratio;
  const pen = canvas.getContext("2d");
  const colour = colours();
  pen.scale(ratio, ratio);
  const across = size / (256 * 2 ** coords.z);
  const stroke = (lines, width, name) => {
    pen.beginPath();
    trace(pen, lines, coords.x * across, coords.y * across, across, size, false);
    pen.lineWidth = width;
    pen.strokeStyle = colour(name);
    pen.stroke();
  };
  pen.lineJoin = "round";
  pen.beginPath();
  trace(pen, ground.land, coords.x * across, coords.y * across, across, size, true);
  pen.fillStyle = colour("land");
  pen.fill("evenodd");
  pen.lineWidth = 1;
  pen.strokeStyle = colour("coast");
  pen.stroke();
  if (coords.z >= STATES_FROM) stroke(ground.states, 1, "state");
  stroke(ground.borders, coords.z >= STATES_FROM ? 1.6 : 1, "border");
}

/** The files, each loaded once: `best(zoom)` is the best loaded one (or null), `wanted(zoom)` a promise of the right one. */
class Grounds {
  constructor() {
    this.promised = new Map();
    this.loaded = new Map();
    const signs = ["pointermove", "pointerdown", "wheel", "keydown"];
    this.somebody = new Promise((resolve) =>
      signs.forEach((sign) => window.addEventListener(sign, resolve, { once: true, passive: true })),
    );
  }

  best(zoom) {
    const usable = LEVELS.filter(([from, name]) => from <= zoom && this.loaded.has(name));
    return usable.length ? this.loaded.get(usable[usable.length - 1][1]) : null;
  }

  wanted(zoom) {
    const [, name] = LEVELS.findLast(([from]) => from <= zoom);
    if (!this.promised.has(name)) {
      const ready = name === "fine" ? this.somebody : Promise.resolve();
      this.promised.set(
        name,
        ready.then(() => load(name)).then((ground) => this.loaded.set(name, ground).get(name)),
      );
    }
    return this.promised.get(name);
  }
}

/** A Leaflet layer that draws the outlines: at once with what is loaded, and again when a finer file arrives. */
export function outlines() {
  const grounds = new Grounds();
  const Layer = L.GridLayer.extend({
    createTile(coords, done) {
      const canvas = document.createElement("canvas");
      const paint = () => {
        const ground = grounds.best(coords.z);
        if (ground) draw(canvas, ground, coords, this.getTileSize().x);
        return ground;
      };
      grounds.wanted(coords.z).then(paint, () => {}); // the map works without it
      if (coords.z >= LEVELS[2][0]) grounds.wanted(LEVELS[2][0] - 1).then(paint, () => {});
      paint();
      setTimeout(() => done(null, canvas));
      return canvas;
    },
  });
  const layer = new Layer({ tileSize: 512, className: "outlines", keepBuffer: 1, updateWhenZooming: false });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => layer.redraw());
  return layer;
}
