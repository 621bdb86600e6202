// The crawl's state as elements. Text of crawled pages enters as text nodes (dom.js).

import { LineChart, short, sparkline } from "./charts.js";
import { byId, count, linkOut, make, many } from "./dom.js";
import { SpotsMap } from "./spots_map.js";

const TOP_PLACES = 12, TOP_OUTCOMES = 10, TOP_REASONS = 10, TOP_HOSTS = 10, TOP_PAGES = 10;

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const percentTick = (share) => `${Number((100 * share).toPrecision(3))} %`;
const clock = (seconds) => {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Number((seconds / 60).toPrecision(3))} min`;
  return `${Number((seconds / 3600).toPrecision(3))} h`;
};
function size(bytes) {
  const [unit, name] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([least]) => bytes >= least) ?? [1, "bytes"];
  return `${Number((bytes / unit).toPrecision(3))} ${name}`;
}

export class View {
  constructor() {
    this.harvest = new LineChart(byId("harvest"), { height: 250, xLabel: "pages", xLong: count, yForm: percentTick, empty: "No pages yet" });
    this.pace = new LineChart(byId("pace"), { height: 190, xLabel: "of activity", xForm: clock, empty: "Not enough data yet" });
    this.queue = new LineChart(byId("queue"), { height: 190, xLabel: "pages", xLong: count, empty: "No changes yet" });
    this.map = new SpotsMap(byId("map"), { label: "Map of the targets" });
  }

  show(state) {
    this.head(state);
    this.numbers(state);
    this.curves(state);
    this.nodes(state.nodes);
    this.places(state.places);
    this.tallies(state);
    this.latest(state.latest);
  }

  /** The status of the crawl, in one sentence. */
  sentence({ state, stopped, paused, reading, numbers, expected, limit }) {
    if (state === "not started") return "No crawl has started here yet.";
    if (reading) return `Reading the log: ${count(numbers.visits)}${expected > numbers.visits ? ` of ${count(expected)}` : ""} visits so far.`;
    if (state === "stopped") return `Stopped because ${stopped}.`;
    if (state === "aborted") return "The last run did not stop cleanly. Run the same command again to resume.";
    if (paused) return `Paused by the operator: ${limit ? `${count(numbers.pages)} of ${many(limit, "page")}` : many(numbers.pages, "page")}.`;
    return limit ? `Running: ${count(numbers.pages)} of ${many(limit, "page")}.` : "Running, without a page limit.";
  }

  head(state) {
    const { numbers, limit } = state;
    byId("name").textContent = state.name;
    document.title = `${state.state === "running" ? `${count(numbers.pages)} pages · ` : ""}${state.name} · Toponaut`;
    const shown = state.paused && state.state === "running" ? "paused" : state.state;
    byId("state").textContent = shown;
    byId("state").dataset.state = shown;
    byId("line").textContent = this.sentence(state);
    byId("trouble").hidden = !state.trouble;
    byId("trouble").textContent = state.trouble;
    const share = limit ? Math.min(1, numbers.pages / limit) : 0;
    byId("gauge").hidden = !(limit && state.state === "running");
    byId("gauge").setAttribute("aria-valuenow", Math.round(100 * share));
    byId("gauge").style.setProperty("--share", share);
  }

  numbers({ numbers: now, places, state }) {
    const shown = [
      ["pages", count(now.pages), `${size(now.received)} received`],
      ["relevant", count(now.relevant), "with an address in the targets"],
      ["harvest", now.pages ? percent(now.harvest) : "–", "share of relevant pages"],
      ["addresses found", count(now.addresses), `${count(now.address_counts.distinct)} distinct, ${count(now.address_counts.distinct_in_targets)} of them in targets`],
      state === "running"
        ? ["pages per second", short(now.per_second), "over the last ten seconds"]
        : ["places covered", count(places.covered), `of ${many(places.targets, "target")}`],
      ["links waiting", count(now.queued), now.price ? `price ${short(now.price)}, ${count(now.explored)} explored below it` : `${count(now.sent)} sent between nodes`],
      ["hosts", count(now.hosts), `${count(now.resting)} resting, ${count(now.busy)} active`],
      ["errors", count(now.errors), now.visits ? `${percent(now.errors / now.visits)} of ${many(now.visits, "request")}` : ""],
    ];
    const watch = now.watch;
    if (watch) {
      shown.push(["requests today", count(watch.used), `of ${count(watch.budget)} a day; ${count(watch.due)} visits due`]);
      shown.push(["stale pages", percent(watch.staleness), `expected, of ${many(watch.pages, "page")} under watch`]);
      shown.push(["changes today", count(watch.changes), watch.next.length ? `next: ${watch.next[0][1]}` : ""]);
    }
    fill(byId("numbers"), shown.map(([name, value, more]) => make("div", { class: "card", "data-name": name }, make("dt", {}, name), make("dd", {}, value), make("dd", { class: "more" }, more))));
  }

  curves({ state, harvest, pace, queue, numbers }) {
    const series = [
      { name: `last ${many(harvest.window, "page")}`, colour: "s1", faint: true, points: harvest.points.map(([pages, , window]) => [pages, window]) },
      { name: "all pages", colour: "s0", points: harvest.points.map(([pages, all]) => [pages, all]) },
    ];
    this.harvest.show(series, `Harvest over ${many(numbers.pages, "page")}: now ${percent(numbers.harvest)}`);
    fill(byId("harvest-keys"), [...series].reverse().map((one) => make("li", {}, make("i", { class: one.colour }), one.name)));
    // After the crawl, hide charts without data.
    byId("pace-card").hidden = state !== "running" && pace.points.length < 2;
    byId("queue-card").hidden = state !== "running" && queue.length < 2;
    byId("pace-like").textContent = pace.source === "log" ? "while the crawl was active" : "since this server started";
    this.pace.xLabel = pace.source === "log" ? "of activity" : "watched";
    this.pace.show([{ name: "pages per second", colour: "s2", filled: true, points: pace.points }], "Pages per second over time");
    this.queue.show([{ name: "links", colour: "s4", filled: true, points: queue }], `Links waiting: now ${count(numbers.queued)}`);
  }

  nodes(nodes) {
    const most = Math.max(1, ...nodes.map((node) => node.pages));
    const top = Math.max(0.01, ...nodes.flatMap((node) => node.curve.map((point) => point[2])));
    const head = make("tr", {}, ...["node", "pages", "relevant", "harvest", "", "addresses", "errors", "received", "waiting"].map((name, at) =>
      make("th", { scope: "col", class: columns[at] }, name || make("span", { class: "unseen" }, "harvest over its pages"))));
    const rows = nodes.map((node) => {
      const bar = make("i", { class: "bar-in" });
      bar.style.setProperty("--share", node.pages / most);
      const cells = [
        node.node, [bar, make("span", {}, count(node.pages))], count(node.relevant), node.pages ? percent(node.harvest) : "–",
        sparkline(node.curve.map((point) => point[2]), top, `harvest of ${node.node} over its pages`), count(node.addresses), count(node.errors),
        size(node.received), count(node.queued),
      ];
      return make("tr", {}, ...cells.map((cell, at) => make(at ? "td" : "th", at ? { class: columns[at] } : { scope: "row", class: columns[0] }, cell)));
    });
    fill(byId("nodes"), [make("thead", {}, head), make("tbody", {}, ...rows)]);
  }

  places({ targets, covered, top }) {
    byId("places-like").textContent = `${count(covered)} of ${many(targets, "target")} ${covered === 1 ? "has" : "have"} a page with an address`;
    this.map.show(top, `Map: ${count(covered)} of ${many(targets, "target")} covered`);
    bars(byId("places"), top.filter((place) => place.pages).slice(0, TOP_PLACES).map(({ name, pages }) => [name, pages, "s1"]), "No address in a target yet");
  }

  tallies({ outcomes, refused, hosts }) {
    const colours = { page: "s2", error: "s3", other: "s0" };
    bars(byId("outcomes"), outcomes.slice(0, TOP_OUTCOMES).map(({ outcome, visits, kind }) => [outcome, visits, colours[kind]]), "No requests yet");
    bars(byId("refused"), Object.entries(refused).slice(0, TOP_REASONS).map(([why, links]) => [why, links, "s5"]), "None yet");
    bars(byId("hosts"), hosts.slice(0, TOP_HOSTS).map(([host, pages]) => [host, pages, "s0"]), "No pages yet");
  }

  latest(pages) {
    const shown = pages.slice(0, TOP_PAGES).map(({ url, title, address, organisation, node }) => make("li", {},
      make("a", { class: "page", href: `/?${new URLSearchParams({ page: url })}` }, title || url),
      make("span", { class: "where" }, [organisation, address].filter(Boolean).join(" · ")),
      make("span", { class: "from soft small" }, linkOut(url, shortened(url)), ` · ${node}`)));
    fill(byId("latest"), shown.length ? shown : [make("li", { class: "soft" }, "None yet")]);
  }
}

// Classes of the node table's columns; narrow windows hide some of them.
const columns = ["", "with-bar", "", "", "less", "less", "less", "least", ""];

/** Replace the content of an element, and keep the focus on its links. */
function fill(element, children) {
  const at = [...element.querySelectorAll("a")].indexOf(document.activeElement);
  element.replaceChildren(...children);
  if (at >= 0) element.querySelectorAll("a")[at]?.focus({ preventScroll: true });
}

/** Rows of a name, a bar and a number: [name, number, colour]. */
function bars(list, rows, empty) {
  const most = Math.max(1, ...rows.map(([, number]) => number));
  const made = rows.map(([name, number, colour]) => {
    const bar = make("i", { class: `bar-in ${colour}` });
    bar.style.setProperty("--share", number / most);
    return make("li", {}, bar, make("span", { class: "what", title: name }, name), make("span", { class: "number" }, count(number)));
  });
  fill(list, made.length ? made : [make("li", { class: "soft none" }, empty)]);
}

const shortened = (url) => url.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "");
