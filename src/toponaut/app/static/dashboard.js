// The dashboard: asks for the crawl's state every two seconds while it runs, and shows it. What it looks like: dashboard_view.js.

import { byId, many } from "./dom.js";
import { View } from "./dashboard_view.js";

const RUNNING_MS = 2000, READING_MS = 500, RESTING_MS = 10_000;
const UNSEEN_MS = 60_000; // the tab is in the background: its title shows the pages
const LOST_MS = [1000, 2000, 4000, 8000, 15_000]; // after so many failures in a row
const PATIENCE_MS = 20_000; // for an answer
const SAY_MS = 30_000; // how often a listener is told the numbers

const view = new View();
let tag = "";
let state = null;
let failures = 0;
let timer = 0;
let asking = false;
let said = { at: 0, state: "" };

async function poll() {
  if (asking) return; // who comes back to the tab while an answer is under way needs no second one
  asking = true;
  clearTimeout(timer);
  try {
    const fresh = await answered();
    if (fresh) {
      state = fresh;
      view.show(state);
      say();
    }
  } finally {
    asking = false;
    timer = setTimeout(poll, pause());
  }
}

async function answered() {
  try {
    const fresh = await ask();
    recovered();
    return fresh;
  } catch (error) {
    lost(error);
    return null;
  }
}

/** The state, or null where it is as it was. */
async function ask() {
  const answer = await fetch("/api/crawl", {
    cache: "no-store", headers: tag ? { "if-none-match": tag } : {}, signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (answer.status === 304) return null;
  if (answer.status === 401 || answer.status === 403) throw new Error("the server wants its token again: open the address that it printed");
  if (!answer.ok) throw new Error(`the server answered with ${answer.status}`);
  const fresh = await answer.json();
  tag = answer.headers.get("etag") ?? "";
  return fresh;
}

function pause() {
  if (document.hidden) return UNSEEN_MS;
  if (failures) return LOST_MS[Math.min(failures, LOST_MS.length) - 1];
  if (state?.reading) return READING_MS;
  return state?.state === "running" ? RUNNING_MS : RESTING_MS;
}

function lost(error) {
  failures += 1;
  const silent = error instanceof TypeError || error.name === "TimeoutError";
  const why = silent ? "the server does not answer" : error.message;
  byId("lost").textContent = `Connection lost: ${why}. What is shown is the last that was heard; trying again.`;
  byId("lost").hidden = false;
  document.body.classList.add("stale");
  if (failures === 1) byId("said").textContent = "Connection lost";
}

function recovered() {
  if (!failures) return;
  failures = 0;
  byId("lost").hidden = true;
  document.body.classList.remove("stale");
  byId("said").textContent = "Connected again";
}

/** For those who listen: at once when the crawl starts or stops, else twice a minute. */
function say() {
  const now = performance.now();
  if (said.state === state.state && (state.state !== "running" || now - said.at < SAY_MS)) return;
  said = { at: now, state: state.state };
  const { pages, relevant } = state.numbers;
  byId("said").textContent = `${view.sentence(state)} ${many(pages, "page")}, ${relevant.toLocaleString("en-US")} relevant.`;
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) poll();
});
poll();
