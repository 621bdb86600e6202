// Requests to the server. A newer request of the same kind cancels an older one.

/** An error to show: its cause, and how to fix it. */
export class Failure extends Error {
  constructor(cause, fix) {
    super(cause);
    this.fix = fix;
  }
}

const running = new Map();

/** The response, or null if a newer request of this kind was made. Throws a Failure. */
export async function ask(kind, path) {
  running.get(kind)?.abort();
  const control = new AbortController();
  running.set(kind, control);
  try {
    const answer = await get(path, control.signal);
    return running.get(kind) === control ? answer : null;
  } catch (error) {
    if (control.signal.aborted) return null;
    throw error;
  }
}

export async function get(path, signal = undefined) {
  let response;
  try {
    response = await fetch(path, { signal, headers: { accept: "application/json" } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The server does not respond.", "Check that “toponaut serve” is still running, then try again.");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new Failure(body?.error ?? `The server responded with status ${response.status}.`, body?.fix ?? "Try again.");
}
