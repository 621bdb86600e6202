// Every decision about a page: where it was found, why and when it was fetched, by which node, and the outcome.

import { count, make } from "./dom.js";

const FINDINGS = 3;

export function explanation(log) {
  const queued = log.found.filter((finding) => finding.decision === "queued");
  const found = queued.length ? queued : log.found;
  const visit = log.visits[log.visits.length - 1];
  return make(
    "dl",
    { class: "explained" },
    row("State", log.state),
    found
      .slice(0, FINDINGS)
      .flatMap((finding) => [
        row("Found on", finding.page, finding.anchor ? ` as “${finding.anchor}”` : ""),
        finding.why ? row("Skipped", finding.why) : null,
        finding.ordering_reason ? row("Priority", `promise ${finding.promise.toPrecision(3)}: ${finding.ordering_reason}`) : null,
        finding.owners.length ? row("Node", `${finding.owners.join(", ")}: ${finding.owner_reason}`) : null,
      ]),
    found.length > FINDINGS ? row("", `and ${count(found.length - FINDINGS)} more pages link to it`) : null,
    visit ? lastVisit(visit) : null,
  );
}

function lastVisit(visit) {
  const refused = Object.entries(visit.refused).map(([why, number]) => `${number} skipped (${why})`);
  const outcome = `${visit.outcome}${visit.status ? ` (${visit.status})` : ""}${visit.detail ? `: ${visit.detail}` : ""}`;
  const archive = visit.archive ? `${visit.archive}, ${count(visit.length)} bytes at ${count(visit.offset)}` : "";
  return [
    row("Fetched", `by ${visit.node}, ${when(visit.time)}: ${outcome}`),
    row(
      "Received",
      `${count(visit.size)} bytes of ${visit.content_type || "unknown type"} in ${visit.seconds.toFixed(3)} s`,
    ),
    row("Links", [`${count(visit.new)} new`, `${count(visit.known)} known`, ...refused].join(", ")),
    archive ? row("Archive", archive) : null,
  ];
}

/** The simulated clock of a replay starts in 1970. */
function when(time) {
  if (time < 1e8) return `${time.toFixed(1)} s into the replay`;
  return new Date(time * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

const row = (name, ...values) => [make("dt", {}, name), make("dd", {}, values)];
