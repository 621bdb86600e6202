// The ground of every map: colours, sources and layers below pins and circles.
//
// Always: our outlines (land, lakes, borders, names from the gazetteer). With `serve --basemap` a map of streets lies on
// them, inside its bounds; with `serve --tiles` pictures do. Colours are variables of map.css, light and dark.

const FONT = ["system-ui", "sans-serif"];
const BOLD = ["Noto Sans Bold", "system-ui", "sans-serif"]; // MapLibre reads the weight from the first name
export const MAX_ZOOM = 17;

/** The colours of the moment: light or dark. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (_, name) => style.getPropertyValue(`--map-${name}`).trim() });
}

/** What layers of a base map mean, for the two usual sets of names. `major` and so on are filters. */
const SCHEMAS = {
  protomaps: {
    green: ["landuse", ["in", ["get", "kind"], ["literal", ["park", "forest", "wood", "nature_reserve", "grass", "cemetery", "garden", "golf_course", "meadow", "recreation_ground"]]]],
    building: ["buildings", ["!=", ["get", "kind"], "address"]],
    stream: ["water", ["in", ["get", "kind"], ["literal", ["river", "stream", "canal"]]]],
    road: "roads",
    kind: ["match", ["get", "kind"], "highway", 4, "major_road", 3, "medium_road", 2, "minor_road", 1, "path", 0, -1],
    rail: ["roads", ["==", ["get", "kind"], "rail"]],
    street: "roads",
    border: ["boundaries", ["<=", ["coalesce", ["get", "kind_detail"], 9], 4]],
    place: "places",
    level: ["match", ["get", "kind"], "country", 5, "region", 4, "locality", ["match", ["get", "kind_detail"], "city", 3, "town", 2, 1], 0],
    land: "earth",
  },
  openmaptiles: {
    green: ["landcover", ["in", ["get", "class"], ["literal", ["wood", "grass", "farmland"]]]],
    building: ["building", true],
    stream: ["waterway", true],
    road: "transportation",
    kind: ["match", ["get", "class"], ["motorway", "trunk"], 4, ["primary", "secondary"], 3, "tertiary", 2, ["minor", "service"], 1, ["path", "track"], 0, -1],
    rail: ["transportation", ["==", ["get", "class"], "rail"]],
    street: "transportation_name",
    border: ["boundary", ["<=", ["get", "admin_level"], 4]],
    place: "place",
    level: ["match", ["get", "class"], "country", 5, ["state", "province"], 4, "city", 3, "town", 2, "village", 1, 0],
    land: null, // the land is what is not water
  },
};

const byZoom = (...stops) => ["interpolate", ["exponential", 1.5], ["zoom"], ...stops];

/** The style of a map: outlines, and a base map or pictures of tiles, if there are any. */
export function groundStyle({ basemap = null, tiles = null, outlines, towns = true }) {
  const sources = { outlines, towns: { type: "geojson", data: { type: "FeatureCollection", features: [] } } };
  if (basemap) {
    const [west, south, east, north] = basemap.bounds;
    const corners = [[west, south], [east, south], [east, north], [west, north], [west, south]];
    sources.inside = { type: "geojson", data: { type: "Polygon", coordinates: [corners] } };
    sources.basemap = {
      type: "vector", tiles: [`${location.origin}/tiles/basemap/{z}/{x}/{y}`], bounds: basemap.bounds,
      minzoom: basemap.min_zoom, maxzoom: basemap.max_zoom, attribution: plain(basemap.attribution),
    }; // prettier-ignore
  }
  if (tiles)
    sources.tiles = { type: "raster", tiles: mirrors(tiles.url), tileSize: 256, maxzoom: 19, attribution: plain(tiles.attribution) };
  return { version: 8, sources, layers: groundLayers(palette(), { basemap, tiles, towns }) };
}

/** The layers, bottom to top, in the colours of the moment. */
export function groundLayers(colour, { basemap, tiles, towns }) {
  return [
    { id: "sea", type: "background", paint: { "background-color": colour.sea } },
    ...outlineLayers(colour),
    ...(basemap ? streetLayers(colour, SCHEMAS[basemap.layers], basemap) : []),
    ...(tiles ? [{ id: "tiles", type: "raster", source: "tiles", paint: rasterPaint() }] : []),
    ...(towns && !tiles ? townLayers(colour, basemap) : []),
  ];
}

function outlineLayers(colour) {
  const line = (id, layer, paint) => ({
    id, type: "line", source: "outlines", "source-layer": layer, layout: { "line-join": "round" }, paint,
  }); // prettier-ignore
  const fill = (id, paint) => ({ id, type: "fill", source: "outlines", "source-layer": id, paint });
  return [
    fill("land", { "fill-color": colour.land }),
    fill("lakes", { "fill-color": colour.sea }),
    { ...line("rivers", "rivers", { "line-color": colour.sea, "line-width": byZoom(3, 0.6, 8, 1.6) }), maxzoom: 9 },
    line("states", "states", { "line-color": colour.state, "line-width": byZoom(3, 0.6, 8, 1.2) }),
    line("coast", "land", { "line-color": colour.coast, "line-width": byZoom(2, 0.6, 8, 1.1) }),
    line("borders", "borders", { "line-color": colour.border, "line-width": byZoom(2, 0.7, 8, 1.6) }),
  ];
}

function streetLayers(colour, schema, basemap) {
  const of = (id, type, [layer, filter], paint, more = {}) => ({
    id: `base-${id}`, type, source: "basemap", "source-layer": layer, ...(filter === true ? {} : { filter }), paint, ...more,
  }); // prettier-ignore
  const round = { layout: { "line-join": "round", "line-cap": "round" } };
  const road = (least, most) => [schema.road, ["all", [">=", schema.kind, least], ["<=", schema.kind, most]]];
  const polygons = ["==", ["geometry-type"], "Polygon"];
  return [
    { id: "base-inside", type: "fill", source: "inside", minzoom: basemap.min_zoom, paint: { "fill-color": schema.land ? colour.sea : colour.land } },
    ...(schema.land ? [of("land", "fill", [schema.land, polygons], { "fill-color": colour.land })] : []),
    of("green", "fill", schema.green, { "fill-color": colour.green }),
    of("stream", "line", schema.stream, { "line-color": colour.sea, "line-width": byZoom(9, 0.8, 16, 6) }, round),
    of("water", "fill", ["water", polygons], { "fill-color": colour.sea }),
    of("building", "fill", schema.building, { "fill-color": colour.building }, { minzoom: 14 }),
    of("rail", "line", schema.rail, { "line-color": colour.rail, "line-width": byZoom(10, 0.6, 16, 1.4), "line-dasharray": [3, 2] }, { minzoom: 11 }),
    of("path", "line", road(0, 0), { "line-color": colour.path, "line-width": byZoom(14, 0.6, 17, 1.6), "line-dasharray": [2, 1.5] }, { minzoom: 14 }),
    of("minor-edge", "line", road(1, 2), { "line-color": colour.edge, "line-width": byZoom(12, 0.5, 16, 8) }, { minzoom: 12, ...round }),
    of("major-edge", "line", road(3, 4), { "line-color": colour.edge, "line-width": byZoom(7, 0.8, 16, 15) }, { minzoom: 7, ...round }),
    of("minor", "line", road(1, 2), { "line-color": colour.road, "line-width": byZoom(12, 0.3, 16, 6.5) }, { minzoom: 12, ...round }),
    of("major", "line", road(3, 3), { "line-color": colour.road, "line-width": byZoom(7, 0.5, 16, 13) }, { minzoom: 7, ...round }),
    of("highway", "line", road(4, 4), { "line-color": colour.highway, "line-width": byZoom(5, 0.5, 16, 13) }, { minzoom: 5, ...round }),
    of("border", "line", schema.border, { "line-color": colour.border, "line-width": byZoom(4, 0.7, 10, 1.8), "line-dasharray": [4, 2] }),
    streetNames(colour, schema),
    placeNames(colour, schema),
  ];
}

const halo = (colour) => ({ "text-halo-color": colour.halo, "text-halo-width": 1.4, "text-halo-blur": 0.4 });
const named = ["coalesce", ["get", "name:latin"], ["get", "name"]];

function streetNames(colour, schema) {
  return {
    id: "base-street-names", type: "symbol", source: "basemap", "source-layer": schema.street, minzoom: 13, filter: [">=", schema.kind, 1],
    layout: { "symbol-placement": "line", "text-field": named, "text-font": FONT, "text-size": byZoom(13, 10, 17, 13), "text-max-angle": 30 },
    paint: { "text-color": colour.name, ...halo(colour) },
  }; // prettier-ignore
}

function placeNames(colour, schema) {
  return {
    id: "base-places", type: "symbol", source: "basemap", "source-layer": schema.place, filter: ["has", "name"],
    layout: {
      "text-field": named, "text-font": ["step", schema.level, ["literal", FONT], 3, ["literal", BOLD]], "text-max-width": 7,
      "text-size": ["match", schema.level, 5, 14, 4, 12, 3, 15, 2, 13, 1, 12, 11], "symbol-sort-key": ["-", schema.level],
    },
    paint: { "text-color": ["case", [">=", schema.level, 2], colour.ink, colour.name], ...halo(colour) },
  }; // prettier-ignore
}

/** Names of the gazetteer's places in view, which towns.js loads. A base map has its own names inside its bounds. */
function townLayers(colour, basemap) {
  const outside = basemap ? { filter: ["!", ["within", box(basemap.bounds)]] } : {};
  const size = ["step", ["get", "population"], 12, 100_000, 13, 1_000_000, 15];
  const country = ["==", ["get", "kind"], "country"];
  return [
    {
      id: "town-dots", type: "circle", source: "towns", filter: outside.filter ? ["all", ["!", country], outside.filter] : ["!", country],
      paint: { "circle-radius": 2, "circle-color": colour.name, "circle-stroke-width": 1, "circle-stroke-color": colour.halo },
    },
    {
      id: "town-names", type: "symbol", source: "towns", ...outside,
      layout: {
        "text-field": ["get", "name"], "text-size": ["case", country, 13, size], "text-max-width": 9,
        "text-font": ["case", ["any", country, [">=", ["get", "population"], 1_000_000]], ["literal", BOLD], ["literal", FONT]],
        "text-letter-spacing": ["case", country, 0.08, 0], "symbol-sort-key": ["-", ["get", "population"]],
        "text-variable-anchor": ["top", "bottom", "left", "right"], "text-radial-offset": 0.45, "text-justify": "auto",
      },
      paint: { "text-color": ["case", country, colour.name, [">=", ["get", "population"], 1_000_000], colour.ink, colour.name], ...halo(colour) },
    },
  ]; // prettier-ignore
}

const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

/** Pictures are inverted in the dark. */
const rasterPaint = () =>
  isDark()
    ? { "raster-brightness-min": 0.85, "raster-brightness-max": 0.08, "raster-hue-rotate": 180, "raster-saturation": -0.4 }
    : { "raster-brightness-min": 0, "raster-brightness-max": 1, "raster-hue-rotate": 0, "raster-saturation": 0 };

/** {s} in a URL of tiles stands for a, b and c. */
const mirrors = (url) => (url.includes("{s}") ? ["a", "b", "c"].map((one) => url.replace("{s}", one)) : [url]);

/** Text as markup, which attributions are. */
function plain(text) {
  const element = document.createElement("span");
  element.textContent = text;
  return element.innerHTML;
}

function box([west, south, east, north]) {
  const corners = [[west, south], [east, south], [east, north], [west, north], [west, south]];
  return { type: "Polygon", coordinates: [corners] };
}
