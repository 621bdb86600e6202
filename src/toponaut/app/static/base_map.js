// A map on our ground (ground.js): MapLibre GL with our controls, a legend, and the colours of the moment.

import { MAX_ZOOM, groundLayers, groundStyle, palette } from "./ground.js";
import { make } from "./dom.js";

const LIBRARY = "/static/maplibre/maplibre-gl.js";
const OUTLINES_ZOOM = 6; // the closest tiles of outlines.pmtiles
const EMPTY = { type: "FeatureCollection", features: [] };
let loading = null; // promise of the library

/** MapLibre, loaded once. It is large, so the page does not wait for it. */
export function maplibre() {
  loading ??= new Promise((resolve, reject) => {
    if (window.maplibregl) return resolve(window.maplibregl);
    const script = make("script", {
      src: LIBRARY,
      onload: () => resolve(window.maplibregl),
      onerror: () => reject(new Error("The map could not be loaded.")),
    });
    return document.head.append(script);
  });
  return loading;
}

export const outlineTiles = () => ({
  type: "vector", tiles: [`${location.origin}/tiles/outlines/{z}/{x}/{y}`], maxzoom: OUTLINES_ZOOM, attribution: "Natural Earth · GeoNames",
}); // prettier-ignore

/** A new map in an element. Without WebGL, the element says so, and the promise is null.
 *
 * `bounds` is the first view; `ground` has basemap, tiles and outlines for groundStyle(); `sources` are names of GeoJSON sources with
 * their options, `layers` a function from colours to layers that show them; `label` is for screen readers. */
export async function baseMap(element, { bounds = null, ground = {}, sources = {}, layers = () => [], label = "Map", scroll = true }) {
  const settings = { outlines: outlineTiles(), ...ground };
  const style = groundStyle(settings);
  for (const [name, options] of Object.entries(sources)) style.sources[name] = { type: "geojson", data: EMPTY, ...options };
  style.layers.push(...layers(palette()));
  try {
    const library = await maplibre();
    const map = new library.Map({
      container: element, style, bounds: bounds ?? [-165, -58, 190, 75], fitBoundsOptions: { padding: 24, maxZoom: 12 },
      minZoom: 0.5, maxZoom: MAX_ZOOM, attributionControl: false, dragRotate: false, pitchWithRotate: false, rollEnabled: false,
      touchPitch: false, fadeDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150, maxPitch: 0,
      cooperativeGestures: !scroll, locale: { "Map.Title": label },
    }); // prettier-ignore
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    addControls(map, library);
    recolour(map, () => [...groundLayers(palette(), { basemap: null, tiles: null, towns: true, ...settings }), ...layers(palette())]);
    map.on("idle", () => (element.dataset.drawn = "true"));
    map.on("error", () => {}); // a missing tile is no error for the reader; the server's log has it
    await new Promise((resolve) => map.once("style.load", resolve));
    return map;
  } catch (failure) {
    const words = /webgl/i.test(failure.message) ? "Maps need WebGL, which this browser does not offer." : failure.message;
    element.replaceChildren(make("p", { class: "no-map soft" }, words));
    element.dataset.drawn = "false";
    return null;
  }
}

function addControls(map, library) {
  map.addControl(new library.NavigationControl({ showCompass: false }), "top-left");
  map.addControl(new library.AttributionControl({ compact: false }), "bottom-right");
  map.addControl(new library.ScaleControl({ maxWidth: 90 }), "bottom-left");
}

/** When the reader turns to light or dark, every layer gets its new colours. */
function recolour(map, layers) {
  const renew = () => {
    for (const { id, paint = {} } of layers())
      for (const [name, value] of Object.entries(paint)) if (map.getLayer(id)) map.setPaintProperty(id, name, value);
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", renew);
}

/** A legend on the map. `set(entries)` shows [class of the sign, meaning] for what is on the map. */
export class Legend {
  constructor(open = true) {
    this.list = make("ul", {});
    this.box = make("details", { class: "legend maplibregl-ctrl" }, make("summary", {}, "Legend"), this.list);
    this.box.open = open;
  }

  onAdd() {
    return this.box;
  }

  onRemove() {
    this.box.remove();
  }

  set(entries) {
    const signs = entries.map(([kind, meaning]) => make("li", {}, make("i", { class: `sign ${kind}` }), meaning));
    this.list.replaceChildren(...signs);
  }
}

/** The view as "west,south,east,north"; west > east if it crosses the 180th meridian. */
export function boxOf(map) {
  const bounds = map.getBounds();
  const whole = bounds.getEast() - bounds.getWest() >= 360;
  const wrap = (lon) => ((((lon + 180) % 360) + 360) % 360) - 180;
  const [west, east] = whole ? [-180, 180] : [wrap(bounds.getWest()), wrap(bounds.getEast())];
  const lat = (value) => Math.max(-90, Math.min(90, value));
  return [west, lat(bounds.getSouth()), east, lat(bounds.getNorth())].map((one) => one.toFixed(4)).join(",");
}

/** Points as GeoJSON: [lon, lat, properties]. */
export const pointsOf = (points) => ({
  type: "FeatureCollection",
  features: points.map(([lon, lat, properties]) => ({ type: "Feature", properties, geometry: { type: "Point", coordinates: [lon, lat] } })),
});

/** Circles on the ground as GeoJSON: [lon, lat, radius in km]. */
export const circlesOf = (circles) => ({
  type: "FeatureCollection",
  features: circles.map((circle) => ({ type: "Feature", properties: {}, geometry: { type: "Polygon", coordinates: [ring(...circle)] } })),
});

function ring(lon, lat, km) {
  const high = km / 111.2;
  const wide = high / Math.max(0.05, Math.cos((lat * Math.PI) / 180));
  return Array.from({ length: 65 }, (_, k) => {
    const angle = (2 * Math.PI * (k % 64)) / 64;
    return [lon + wide * Math.cos(angle), Math.max(-85, Math.min(85, lat + high * Math.sin(angle)))];
  });
}
