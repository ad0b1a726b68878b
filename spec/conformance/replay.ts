import type { Case, RecordedRequest } from "./cases.js";
import { compare } from "./compare.js";
import type { Difference } from "./compare-json.js";
import { exchange, type Answer } from "./exchange.js";
import type { ServerPool } from "./server-pool.js";
import type { Server } from "./servers.js";
import { replayWalk } from "./walk.js";

/** The first exchange of a case that did not go as recorded. */
export interface Failure {
  readonly request: RecordedRequest;
  /** Which of the case's steps, from 1. */
  readonly step: number;
  readonly differences: readonly Difference[];
  readonly answer: Answer;
}

/** What cases are replayed on. */
export type Servers = Pick<ServerPool, "shared" | "fresh">;

/** Replays one case. Null when every answer is as recorded. */
export async function replay(recorded: Case, servers: Servers): Promise<Failure | null> {
  if (!recorded.fresh) return replayOn(recorded, await servers.shared(recorded.server));
  const server = await servers.fresh(recorded.server);
  try {
    return await replayOn(recorded, server);
  } finally {
    await server.stop();
  }
}

async function replayOn(recorded: Case, server: Server): Promise<Failure | null> {
  if (recorded.walk !== null) {
    const wrong = await replayWalk(recorded.walk, (request) => exchange(server, request));
    return wrong === null ? null : { ...wrong, step: 1 };
  }
  for (const [index, { request, response }] of recorded.steps.entries()) {
    const answer = await exchange(server, request);
    const differences = compare(response, answer);
    if (differences.length > 0) return { request, step: index + 1, differences, answer };
  }
  return null;
}
