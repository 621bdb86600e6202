// Names of the largest places in view, from the server. The map places them where they do not overlap.

import { ask } from "./api.js";
import { boxOf, pointsOf } from "./base_map.js";

const MOST = 60;
const REST_MS = 150; // after the last move

/** Keep the names of a map fresh. Errors are ignored: the map works without names. */
export function nameTowns(map) {
  let waiting = 0;
  const renew = () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const answer = await ask("towns", `/api/towns?box=${boxOf(map)}&most=${MOST}`).catch(() => null);
      if (!answer) return;
      const points = answer.towns.map(([name, lat, lon, population, kind]) => [lon, lat, { name, population, kind }]);
      map.getSource("towns")?.setData(pointsOf(points));
    }, REST_MS);
  };
  map.on("moveend", renew);
  renew();
}
