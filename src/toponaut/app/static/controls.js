// Buttons for commands to the running crawl. They are shown if the server accepts commands: it has an access token.

import { byId } from "./dom.js";

const PATH = "/api/control";

async function send(action, values) {
  const note = byId("control-note");
  note.textContent = "…";
  try {
    const answer = await fetch(PATH, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ action, values }),
    });
    const body = await answer.json();
    note.textContent = answer.ok ? body.done : `${body.error}. ${body.fix}`;
  } catch {
    note.textContent = "The server does not respond.";
  }
}

async function show() {
  const answer = await fetch(PATH, { cache: "no-store" }).catch(() => null);
  if (!answer?.ok || !(await answer.json()).allowed) return;
  for (const action of ["pause", "resume"]) byId(`control-${action}`).addEventListener("click", () => send(action, []));
  byId("control-form").addEventListener("submit", event => {
    event.preventDefault();
    const value = byId("control-value").value.trim();
    if (value) send(byId("control-action").value, value.split(/\s+/));
  });
  byId("controls").hidden = false;
}

show();
