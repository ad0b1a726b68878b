import { RowNotFound, reply } from "rowhouse/plugin-api";
import type { Reply, Request, Rowhouse, Visit } from "rowhouse/plugin-api";
import { rowAddress } from "../targets.js";
import { rowVersion } from "./row-version.js";

const versions = new WeakMap<Request, string>();

/** Is this a row's JSON with `_extras=version`? */
const asksForVersion = (visit: Visit): visit is Visit<"row"> =>
  visit.target.kind === "row" &&
  visit.format === "json" &&
  visit.request.query.getAll("_extras").some((extras) => extras.split(",").includes("version"));

/**
 * Finds the version of a row whose JSON was asked for with `_extras=version`. Before the row is read: a version may
 * be older than the row it goes with, and lead to a refusal that need not have been, but never newer.
 */
export const noteVersion = (rowhouse: Rowhouse, visit: Visit): Promise<void> | null =>
  asksForVersion(visit) ? findVersion(rowhouse, visit) : null;

async function findVersion(
  rowhouse: Rowhouse,
  { target: { database, table, key }, request, actor }: Visit<"row">,
): Promise<void> {
  const readable = await rowhouse.service("tables").readable(actor, database, table);
  const read = database.read.bind(database);
  try {
    const version = await rowVersion(read, readable, await rowAddress(read, { readable, key }));
    if (version !== null) versions.set(request, version);
  } catch (error) {
    // The page itself will say so.
    if (!(error instanceof RowNotFound)) throw error;
  }
}

/** The reply with the row's version as its entity tag, where one was found. */
export function withVersion(request: Request, value: Reply): Reply {
  const version = versions.get(request);
  return version === undefined || value.status !== 200 ? value : reply.withHeaders(value, { etag: version });
}
