import { RowhouseError, type Reply, type RouteFor, type Visit } from "rowhouse/plugin-api";
import { SchemaChanged, TableNotFound } from "rowhouse/plugin-api/errors";
import { rejectIfMatch, type TargetOf, type VerifyContext } from "rowhouse/plugin-api/http";
import { redactReason } from "./redact-error.js";
import { requireAlterable, requireUserTable } from "./write-access.js";

/** A write that is prepared for one schema. Nothing is written before it is called. */
export type PreparedWrite = () => Promise<Reply>;

type WriteKind = "instance" | "database" | "table" | "row";

/** A route for a write of the API. */
export interface WriteRoute<Kind extends WriteKind> extends Omit<
  RouteFor<Kind>,
  "view" | "method" | "mutates" | "permissions"
> {
  readonly requires: NonNullable<RouteFor<Kind>["requires"]>;
  /**
   * Validates the request for the schema of the target.
   *
   * @throws WriteRejected and the like
   */
  readonly prepare: (visit: Visit<Kind>) => Promise<PreparedWrite>;
  /** The error for the client: without what is hidden from the actor. */
  readonly redact?: (visit: Visit<Kind>, error: unknown) => Promise<unknown>;
}

export function writeRoute<Kind extends WriteKind>(write: WriteRoute<Kind>): RouteFor<Kind> {
  const { prepare, redact, ...route } = write;
  return {
    ...(route as Omit<RouteFor<Kind>, "view">),
    method: "POST",
    mutates: true,
    async view(visit) {
      // Without a row there is no row version to compare.
      if (route.target !== "row") rejectIfMatch(visit.request);
      try {
        return await writeUnderSchema(visit, prepare);
      } catch (error) {
        throw redact === undefined ? error : await redact(visit, error);
      }
    },
  };
}

/** Permissions on the table in the path. */
export const onTable =
  (...actions: readonly string[]) =>
  ({ database, resource }: { readonly database: string; readonly resource: string | undefined }) =>
    actions.map((action) => [action, [database, resource ?? ""]] as const);

/** Views have no rows of their own, so for a write of rows they do not exist. @throws TableNotFound */
export function requireTable({ target }: Pick<VerifyContext<"table">, "target">): void {
  const { database, table } = target;
  if (table.kind === "view") throw new TableNotFound(database.name, table.name);
}

/** The route of a write that changes the definition of a table. */
export const definitionRoute = (
  action: string,
  name: string,
  prepare: WriteRoute<"table">["prepare"],
): RouteFor<"table"> =>
  writeRoute<"table">({
    name,
    path: `/:database/:resource/-/${action}`,
    target: "table",
    requires: onTable("alter-table"),
    verify: requireTable,
    prepare: async (visit) => {
      requireAlterable(visit.target);
      return prepare(visit);
    },
    redact: (visit, error) => redactReason(visit, visit.target, error),
  });

/**
 * Prepares a write for the last known schema and performs it. Reading the current schema from the file would have to
 * wait for a commit in progress. If the schema has changed meanwhile, the write is prepared again.
 *
 * @throws any error of `prepare` and of the write under the current schema
 */
async function writeUnderSchema<Kind extends WriteKind>(
  visit: Visit<Kind>,
  prepare: (visit: Visit<Kind>) => Promise<PreparedWrite>,
): Promise<Reply> {
  const { rowhouse, actor, route, names } = visit;
  const target: TargetOf<WriteKind> = visit.target;
  const database = rowhouse.databases.get(names.database ?? "");
  const before = "schema" in target ? target.schema : database?.lastSchema;
  let write: PreparedWrite | null = null;
  try {
    if ("table" in target) requireUserTable(target.table);
    write = await prepare(visit);
    return await write();
  } catch (error) {
    // Any other error of the write itself may come after the commit, so the write must not run twice.
    if (write !== null && !(error instanceof SchemaChanged)) throw error;
    if (database === undefined || isForbidden(error)) throw error;
    if ((await database.schema()).version === before?.version) throw error;
  }
  const found = await rowhouse.authorizedTarget<Kind>(route as never, names, actor);
  return writeUnderSchema({ ...visit, target: found }, prepare);
}

/** After a 403 under an old schema there is no second attempt: it could reveal the new schema. */
const isForbidden = (error: unknown): boolean => error instanceof RowhouseError && error.status === 403;
