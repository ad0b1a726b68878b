import type { Case } from "./cases.js";
import { compare } from "./compare.js";
import type { Difference } from "./compare-json.js";
import { exchange } from "./exchange.js";
import { profile } from "./profiles.js";
import type { Servers } from "./replay.js";
import type { Server } from "./servers.js";
import { replayWalk } from "./walk.js";
import { withoutSqliteTables } from "./without-sqlite-tables.js";

/** Statements are in the SQL of the engine, and the words of a search can be in the table itself. */
const isOfEngine = ({ where }: Difference): boolean =>
  /^json \/(?:\d+\/)?(?:query\/|schema$)|^json .*\/fts_table$/.test(where);

/** True for a case with SQL of the caller, or with flags of the command line: they are about SQLite files. */
export function isAboutSqlite({ group, server, steps, walk }: Case): boolean {
  const paths = [...steps.map(({ request }) => request.path), walk?.path ?? ""];
  return (
    group === "sql" ||
    profile(server).flags !== undefined ||
    paths.some((path) => /[?&](?:sql|_where)=/.test(path))
  );
}

/** Servers of which one that a case has not changed can be used for another case. */
export interface ReusedServers extends Servers {
  reuse(server: Server): void;
}

/** True if the recorded replies show that nothing was changed. */
const changesNothing = ({ steps, walk }: Case): boolean =>
  walk === null &&
  steps.every(({ request, response }) => response.status >= 400 || /^(?:GET|HEAD)$/.test(request.method));

/** Replays a case on another engine. Returns the differences of the first step that has some. */
export async function examine(recorded: Case, servers: ReusedServers): Promise<readonly Difference[]> {
  if (!recorded.fresh) return differencesOn(recorded, await servers.shared(recorded.server));
  const server = await servers.fresh(recorded.server);
  let isReused = false;
  try {
    const differences = await differencesOn(recorded, server);
    isReused = differences.length === 0 && changesNothing(recorded);
    return differences;
  } finally {
    if (isReused) servers.reuse(server);
    else await server.stop();
  }
}

async function differencesOn(recorded: Case, server: Server): Promise<readonly Difference[]> {
  if (recorded.walk !== null) {
    const wrong = await replayWalk(recorded.walk, (request) => exchange(server, request));
    return wrong?.differences ?? [];
  }
  for (const { request, response } of recorded.steps) {
    const differences = compare(withoutSqliteTables(response), await exchange(server, request)).filter(
      (one) => !isOfEngine(one),
    );
    if (differences.length > 0) return differences;
  }
  return [];
}
