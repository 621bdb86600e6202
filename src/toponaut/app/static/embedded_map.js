// The map of an HTML file without a server (embedded_map.py): library, tiles and places are in the file.

import { count } from "./dom.js";
import { SpotsMap } from "./spots_map.js";

const unpack = async (text) => {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
};

async function drawEmbedded() {
  const { library, tiles, spots, unit } = JSON.parse(document.getElementById("map-data").textContent);
  const source = URL.createObjectURL(new Blob([await unpack(library)], { type: "text/javascript" }));
  await new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: source, onload: resolve, onerror: reject });
    document.head.append(script);
  });
  window.maplibregl.addProtocol("outlines", async ({ url }) => {
    const tile = tiles[url.slice("outlines://".length)];
    return { data: tile ? await unpack(tile) : new ArrayBuffer(0) };
  });
  const deepest = Math.max(...Object.keys(tiles).map((name) => Number(name.split("/")[0])));
  const outlines = { type: "vector", tiles: ["outlines://{z}/{x}/{y}"], maxzoom: deepest, attribution: "Natural Earth · GeoNames" };
  const describe = ({ full, pages }) => `${full}: ${count(pages)} ${unit}`;
  const element = document.getElementById("map");
  const picture = [...element.childNodes];
  element.replaceChildren();
  const map = new SpotsMap(element, { ground: { outlines }, label: "Map of the places", describe });
  if (await map.ready) map.show(spots, `Map of ${count(spots.length)} places`);
  else element.replaceChildren(...picture);
}

drawEmbedded();
