// The state of the page, in its URL: restored by back, forward, reload and shared links.
//
//   q      the words          place   id of a chosen place, 0 for "no place, words only"
//   near   "lat,lon"          box     "west,south,east,north" of the map
//   page   the URL of the page whose view is open
//   region the readers for whom hits are ranked, "none" for nobody; empty: those of the client's IP address
//   view   "places" for organisations instead of pages

const ASKED = ["q", "place", "near", "box", "region"]; // by the API
const KEYS = [...ASKED, "view", "page"];

export function read(address = location.search) {
  const given = new URLSearchParams(address);
  return Object.fromEntries(KEYS.map((key) => [key, given.get(key) ?? ""]));
}

/** The URL of a state. */
export function address(state) {
  const query = new URLSearchParams(KEYS.filter((key) => state[key]).map((key) => [key, state[key]])).toString();
  return query ? `/?${query}` : "/";
}

/** The query parameters of a state for the API. */
export function query(state) {
  const parameters = new URLSearchParams();
  for (const key of ASKED) if (state[key]) parameters.set(key, state[key]);
  return parameters.toString();
}

/** The state of a new search: everything else is reset. */
export const search = (parts) => {
  const { region, view } = read();
  return { q: "", place: "", near: "", box: "", page: "", region, view, ...parts };
};

export function go(state) {
  if (address(state) === location.pathname + location.search) return false;
  history.pushState(null, "", address(state));
  return true;
}
