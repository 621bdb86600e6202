// The page of changes: filters, a map and a list. The filters are the page's query, so a view can be linked to.

import { get } from "./api.js";
import { byId, linkOut, make, many } from "./dom.js";
import { SpotsMap } from "./spots_map.js";

const FILTERS = ["kind", "category", "place", "since"];
const map = new SpotsMap(byId("map"), { label: "Map of the changes", meanings: { spot: "Change" }, describe: ({ full }) => full });

const fill = (element, children) => element.replaceChildren(...children.flat());
const query = () => new URLSearchParams(FILTERS.map((name) => [name, byId(name).value.trim()]).filter(([, value]) => value));

/** Simulated time counts from 0: days of the watch instead of dates. */
const when = (time) => (time < 1e8 ? `day ${Math.floor(time / 86400) + 1}` : new Date(time * 1000).toISOString().slice(0, 16).replace("T", " "));

function options(select, values) {
  const chosen = select.value;
  fill(select, [make("option", { value: "" }, "all"), values.map((value) => make("option", { value, selected: value === chosen }, value))]);
}

function entry(change) {
  const about = [change.name, change.address].filter(Boolean).join(", ") || change.evidence.url;
  const what = change.why || [change.before, change.after].filter(Boolean).join(" → ");
  const sure = `confidence ${Math.round(100 * change.confidence)} %`;
  return make("li", { "data-id": change.id }, make("b", {}, `${change.kind}: ${about}`), make("p", {}, what),
    make("p", { class: "soft" }, `${when(change.time)}, ${sure}, `, linkOut(change.evidence.url, new URL(change.evidence.url).host)));
}

async function show() {
  const wanted = query();
  byId("feed").href = `/feed.atom?${wanted}`;
  try {
    const found = await get(`/api/changes?${wanted}`);
    byId("trouble").hidden = true;
    const none = `${wanted}`
      ? ["No change matches. Choose fewer filters."]
      : ["No changes yet. ", make("code", {}, "toponaut watch"), " visits the pages again and finds them."];
    byId("line").replaceChildren(...(found.total ? [many(found.total, "change")] : none));
    byId("list-card").hidden = !found.total;
    options(byId("kind"), Object.keys(found.kinds));
    options(byId("category"), found.categories);
    fill(byId("changes"), found.changes.map(entry));
    const points = found.changes.filter((one) => one.lat !== null).map((one) => ({ name: one.name, lat: one.lat, lon: one.lon, pages: 1 }));
    byId("map-card").hidden = !points.length;
    map.show(points, `${many(points.length, "change")} on the map`);
  } catch (error) {
    byId("trouble").textContent = [error.message, error.fix].filter(Boolean).join(". ");
    byId("trouble").hidden = false;
  }
}

const given = new URLSearchParams(location.search);
for (const name of ["place", "since"]) byId(name).value = given.get(name) ?? "";
for (const name of ["kind", "category"]) options(byId(name), given.get(name) ? [given.get(name)] : []), (byId(name).value = given.get(name) ?? "");
byId("filters").addEventListener("submit", (event) => {
  event.preventDefault();
  history.replaceState(null, "", `?${query()}`);
  show();
});
show();
