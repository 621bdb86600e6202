// What is shown, as the address line says it: everything that back, forward, reload and a shared link restore.
//
//   q      the words          place   a place chosen by hand, 0 for "no place, words only"
//   near   "lat,lon"          box     "west,south,east,north" of the map
//   page   the URL of the page whose view is open

const KEYS = ["q", "place", "near", "box", "page"];

export function read(address = location.search) {
  const given = new URLSearchParams(address);
  return Object.fromEntries(KEYS.map((key) => [key, given.get(key) ?? ""]));
}

/** The address of a state. */
export function address(state) {
  const query = new URLSearchParams(KEYS.filter((key) => state[key]).map((key) => [key, state[key]])).toString();
  return query ? `/?${query}` : "/";
}

/** The part of a state that the API searches by. */
export function asked(state) {
  const query = new URLSearchParams();
  for (const key of KEYS) if (key !== "page" && state[key]) query.set(key, state[key]);
  return query.toString();
}

/** A new search: whatever is not said anew is dropped. */
export const search = (parts) => ({ q: "", place: "", near: "", box: "", page: "", ...parts });

export function go(state) {
  if (address(state) === location.pathname + location.search) return false;
  history.pushState(null, "", address(state));
  return true;
}
