// The map: outlines, town names and pins.

/* global L */
import { get } from "./api.js";
import { Clusters } from "./clusters.js";
import { make, many } from "./dom.js";
import { Labels, boxOf } from "./labels.js";
import { outlines } from "./outlines.js";

const MAX_ZOOM = 16;
const CLOSEST = 13; // zoom of a search: a few streets
const LISTED = 6; // pages in a popup
const ZOOM_OF = { continent: 3, country: 5, state: 6, county: 9, city: 11, neighbourhood: 13, landmark: 14 };
const REACH_KM = { continent: 5000, country: 3000, state: 600, county: 80, city: 50, neighbourhood: 10, landmark: 10 };
const TRIMMED = 0.05; // share of pins that may be outside each edge: Honolulu would shrink the mainland

export class MapView {
  /** `on` has hover(pages or null), open(url) and moved(). */
  constructor(element, on) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const still = calm
      ? { zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false, inertia: false }
      : {};
    this.map = L.map(element, { minZoom: 2, maxZoom: MAX_ZOOM, worldCopyJump: true, ...still });
    this.map.attributionControl.setPrefix(false);
    L.control.scale({ position: "bottomleft", imperial: false }).addTo(this.map);
    this.on = on;
    this.asked = L.layerGroup().addTo(this.map);
    this.chosen = L.layerGroup().addTo(this.map);
    this.clusters = new Clusters(this.map, { hover: on.hover, open: (group, at) => this.list(group, at) });
    this.ground();
    this.touched = false;
    for (const kind of ["pointerdown", "wheel", "keydown"])
      element.addEventListener(kind, () => (this.touched = true), { capture: true, passive: true });
    this.map.on("moveend", () => this.touched && on.moved());
    new ResizeObserver(() => this.map.invalidateSize({ pan: false })).observe(element);
  }

  /** The tiles that the server was started with, over the outlines. */
  tiles({ url, attribution }) {
    const credit = make("span", {}, attribution).innerHTML; // escaped: Leaflet treats it as markup
    L.tileLayer(url, { attribution: credit, maxZoom: MAX_ZOOM, className: "tiles" }).addTo(this.map);
    this.map.getPane("names").hidden = true; // tiles have their own names
  }

  /** Outlines and town names. */
  ground() {
    outlines().addTo(this.map);
    this.map.attributionControl.addAttribution("Natural Earth · GeoNames");
    const names = new Labels(this.map, () => [...this.clusters.boxes(), ...this.spots(), ...this.controls()]);
    this.map.on("moveend", () => names.renew());
    this.clusters.on.drawn = () => names.lay();
  }

  /** Whether it shows anything yet. It starts without a view, so that no unused outlines are loaded. */
  get placed() {
    return this.map.getZoom() !== undefined;
  }

  box() {
    return this.placed ? boxOf(this.map) : "";
  }

  /** Show the world, if there is no view yet. */
  rest() {
    if (!this.placed) this.map.setView([25, 5], 2);
  }

  /** Whether any of these pins is in view. */
  has(pins) {
    const view = this.map.getBounds();
    return pins.some((pin) => view.contains([pin[1], pin[2]]));
  }

  show(pins) {
    this.map.closePopup();
    this.clusters.show(pins);
  }

  /** Show nearly all pins around the query's place, or else that place, or else the bounds. */
  fit(pins, where, bounds = null) {
    this.touched = false;
    const reach = where
      ? 1000 * Math.max(REACH_KM[where.place?.kind] ?? REACH_KM.city, where.radius_km ?? 0)
      : Infinity;
    const within = where
      ? pins.filter((pin) => this.map.distance([pin[1], pin[2]], [where.lat, where.lon]) <= reach)
      : pins;
    const farther = !within.length && pins.length && where.manner !== "in"; // "near" may have to go farther
    const near = farther ? [...pins, [0, where.lat, where.lon, 0]] : within;
    const around = near.length
      ? boundsOf(near)
      : !where && bounds && L.latLngBounds([bounds[1], bounds[0]], [bounds[3], bounds[2]]);
    if (around) this.map.fitBounds(around, { padding: [36, 36], maxZoom: CLOSEST, animate: false });
    else if (where) this.map.setView([where.lat, where.lon], ZOOM_OF[where.place?.kind] ?? 11, { animate: false });
    this.rest();
  }

  /** Show a box, as returned by box(). */
  frame(box) {
    const [west, south, east, north] = box.split(",").map(Number);
    if (box === this.box()) return;
    this.touched = false;
    this.map.fitBounds(
      [
        [south, west],
        [north, east < west ? east + 360 : east],
      ],
      { animate: false },
    );
  }

  /** Show where distances are measured from, and the radius of the query. */
  spot(where) {
    this.asked.clearLayers();
    if (!where || where.manner === "in") return;
    const icon = L.divIcon({ className: "spot", iconSize: [18, 18] });
    L.marker([where.lat, where.lon], { icon, interactive: false, keyboard: false }).addTo(this.asked);
    if (where.radius_km)
      L.circle([where.lat, where.lon], {
        radius: where.radius_km * 1000,
        className: "within",
        interactive: false,
      }).addTo(this.asked);
  }

  /** The boxes that markers of the location cover: names avoid them. */
  spots() {
    const markers = this.asked.getLayers().filter((layer) => layer instanceof L.Marker);
    return markers
      .map((marker) => this.map.latLngToContainerPoint(marker.getLatLng()))
      .map(({ x, y }) => [x - 15, y - 15, x + 15, y + 15]);
  }

  /** The boxes of zoom buttons, scale and attribution. */
  controls() {
    const { left, top } = this.map.getContainer().getBoundingClientRect();
    const boxes = [...this.map.getContainer().querySelectorAll(".leaflet-control")].map((control) =>
      control.getBoundingClientRect(),
    );
    return boxes.map((box) => [box.left - left, box.top - top, box.right - left, box.bottom - top]);
  }

  light(pages) {
    this.clusters.light(pages);
  }

  /** Show the addresses of the open page. */
  choose(points) {
    this.chosen.clearLayers();
    this.map.closePopup();
    const once = new Map(points.map((point) => [`${point.lat},${point.lon},${point.precision}`, point]));
    for (const { lat, lon, radius_km: radius, precision } of once.values()) {
      if (precision === "given") {
        const icon = L.divIcon({ className: "chosen", iconSize: [26, 26] });
        L.marker([lat, lon], { icon, interactive: false, keyboard: false, zIndexOffset: 2000 }).addTo(this.chosen);
      } else
        L.circle([lat, lon], { radius: radius * 1000, className: "area chosen", interactive: false }).addTo(
          this.chosen,
        );
    }
    if (!points.length) return this.rest();
    this.touched = false;
    const pins = points.map((point) => [0, point.lat, point.lon, point.precision === "given" ? 0 : point.radius_km]);
    if (!this.placed || !this.map.getBounds().contains(boundsOf(pins)) || this.map.getZoom() < 8)
      this.map.fitBounds(boundsOf(pins), { padding: [50, 50], maxZoom: CLOSEST - 1, animate: false });
  }

  /** Show the pages of a location in a popup. */
  async list(group, at) {
    this.touched = false; // the popup may move the map
    const numbers = [...group.pages];
    const list = make("ul", { class: "popup" }, make("li", { class: "soft" }, "…"));
    const vague = group.vague
      ? make("p", { class: "soft small" }, "Approximate: only the area is known.")
      : null;
    L.popup({ maxWidth: 280, minWidth: 200 })
      .setLatLng(at)
      .setContent(make("div", {}, list, vague))
      .openOn(this.map);
    const hits = await Promise.all(
      numbers.slice(0, LISTED).map((number) => get(`/api/hit?number=${number}`).catch(() => null)),
    );
    const rest = numbers.length - LISTED;
    list.replaceChildren(
      ...hits.filter(Boolean).map((hit) => this.entry(hit)),
      ...(rest > 0 ? [make("li", { class: "soft small" }, `and ${many(rest, "more page")}`)] : []),
    );
  }

  entry(hit) {
    const open = make(
      "button",
      { type: "button", class: "plain", onclick: () => this.on.open(hit.url) },
      hit.organisation || hit.title,
    );
    return make("li", {}, open, hit.address ? make("div", { class: "soft small" }, hit.address) : null);
  }
}

/** The bounds of nearly all pins, including the radius of areas. */
function boundsOf(pins) {
  const few = pins.length > 50 ? Math.floor(pins.length * TRIMMED) : 0;
  const middle = (index) => {
    const sorted = pins.map((pin) => pin[index]).sort((a, b) => a - b);
    return [sorted[few], sorted[sorted.length - 1 - few]];
  };
  const [[south, north], [west, east]] = [middle(1), middle(2)];
  const inside = pins.filter((pin) => pin[1] >= south && pin[1] <= north && pin[2] >= west && pin[2] <= east);
  const bounds = L.latLngBounds([south, west], [north, east]);
  for (const [, lat, lon, radius] of inside) if (radius) bounds.extend(L.latLng(lat, lon).toBounds(2000 * radius));
  return bounds;
}
