// The dashboard polls the state of the crawl, every two seconds while it runs. dashboard_view.js shows it.

import { byId, many } from "./dom.js";
import { View } from "./dashboard_view.js";

const RUNNING_MS = 2000, READING_MS = 500, STOPPED_MS = 10_000;
const BACKGROUND_MS = 60_000; // the tab is in the background; its title shows the pages
const LOST_MS = [1000, 2000, 4000, 8000, 15_000]; // after 1, 2, ... failures in a row
const PATIENCE_MS = 20_000; // for a response
const ANNOUNCE_MS = 30_000; // interval of announcements for screen readers

const view = new View();
let tag = "";
let state = null;
let failures = 0;
let timer = 0;
let requesting = false;
let announced = { at: 0, state: "" };

async function poll() {
  if (requesting) return; // returning to the tab must not start a second request
  requesting = true;
  clearTimeout(timer);
  try {
    const fresh = await request();
    if (fresh) {
      state = fresh;
      view.show(state);
      announce();
    }
  } finally {
    requesting = false;
    timer = setTimeout(poll, pause());
  }
}

async function request() {
  try {
    const fresh = await fetchState();
    recovered();
    return fresh;
  } catch (error) {
    lost(error);
    return null;
  }
}

/** The state, or null if it has not changed. */
async function fetchState() {
  const answer = await fetch("/api/crawl", {
    cache: "no-store", headers: tag ? { "if-none-match": tag } : {}, signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (answer.status === 304) return null;
  if (answer.status === 401 || answer.status === 403) throw new Error("the server needs the access token again: open the address that it printed");
  if (!answer.ok) throw new Error(`the server responded with status ${answer.status}`);
  const fresh = await answer.json();
  tag = answer.headers.get("etag") ?? "";
  return fresh;
}

function pause() {
  if (document.hidden) return BACKGROUND_MS;
  if (failures) return LOST_MS[Math.min(failures, LOST_MS.length) - 1];
  if (state?.reading) return READING_MS;
  return state?.state === "running" ? RUNNING_MS : STOPPED_MS;
}

function lost(error) {
  failures += 1;
  const silent = error instanceof TypeError || error.name === "TimeoutError";
  const why = silent ? "the server does not respond" : error.message;
  byId("lost").textContent = `Connection lost: ${why}. Showing the last known state; trying again.`;
  byId("lost").hidden = false;
  document.body.classList.add("stale");
  if (failures === 1) byId("announcement").textContent = "Connection lost";
}

function recovered() {
  if (!failures) return;
  failures = 0;
  byId("lost").hidden = true;
  document.body.classList.remove("stale");
  byId("announcement").textContent = "Reconnected";
}

/** For screen readers: at once when the crawl starts or stops, otherwise twice a minute. */
function announce() {
  const now = performance.now();
  if (announced.state === state.state && (state.state !== "running" || now - announced.at < ANNOUNCE_MS)) return;
  announced = { at: now, state: state.state };
  const { pages, relevant } = state.numbers;
  byId("announcement").textContent = `${view.sentence(state)} ${many(pages, "page")}, ${relevant.toLocaleString("en-US")} relevant.`;
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) poll();
});
poll();
