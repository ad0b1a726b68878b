import { createHash, randomUUID } from "node:crypto";
import { jsonText } from "rowhouse/plugin-api";
import type { Database, Rowhouse, Visit } from "rowhouse/plugin-api";
import { dependsOnDataOnly } from "./dependence.js";
import { permissionFacts } from "./permission-facts.js";
import { currentVersion, recentVersion } from "./versions.js";

// Settings, plugins, templates and code stay as they are for the life of a process, and database versions
// mean nothing to another one.
const PROCESS = randomUUID();

/**
 * A weak entity tag of the page this visit leads to, known before the page is made: it moves with the data, and
 * differs by address, visitor and format.
 *
 * @returns null where the page may change although the data does not
 */
export async function makeTag(rowhouse: Rowhouse, visit: Visit): Promise<string | null> {
  if (rowhouse.option("reload") === true) return null;
  const databases = databasesOf(rowhouse, visit);
  if (!(await dependsOnDataOnly(rowhouse, visit, databases))) return null;
  const permissions = await permissionFacts(rowhouse, visit, databases);
  if (permissions === null) return null;
  const isConditional = visit.request.headers["if-none-match"] !== undefined;
  const versions = await Promise.all(databases.map(isConditional ? currentVersion : recentVersion));
  const facts = [PROCESS, versions, permissions, metadataEdition(rowhouse), ...visitFacts(visit)];
  const digest = createHash("sha256").update(jsonText(facts)).digest("base64url");
  return `W/"${digest.slice(0, 22)}"`;
}

function visitFacts({ request, target, actor, format }: Visit): readonly unknown[] {
  // Pages show messages, themes and form tokens that come out of cookies.
  const cookies = format === "html" ? (request.headers["cookie"] ?? "") : "";
  const sql = target.kind === "query" ? target.query : null;
  return [request.origin, request.path, request.queryString, format, jsonText(actor), sql, cookies];
}

/** Those whose data the page shows: one, or on the list of databases all. */
const databasesOf = (rowhouse: Rowhouse, { target }: Visit): readonly Database[] =>
  "database" in target
    ? [target.database]
    : [...rowhouse.databases.values()].filter(({ internal }) => !internal);

const editions = new WeakMap<object, string>();

/** Another one whenever the metadata was loaded anew. */
function metadataEdition(rowhouse: Rowhouse): string {
  const document = rowhouse.serviceIfAny("metadata")?.current().document;
  if (document === undefined) return "";
  const known = editions.get(document) ?? randomUUID();
  editions.set(document, known);
  return known;
}

/** Does an `If-None-Match` header name this tag? `*` is not answered: the page might not exist. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = tag.replace(/^W\//, "");
  return header.split(",").some((one) => one.trim().replace(/^W\//, "") === opaque);
}
