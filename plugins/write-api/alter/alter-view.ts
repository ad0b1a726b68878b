import { WriteRejected, type Database, type Reply, type Transaction } from "rowhouse/plugin-api";
import type { TableTarget } from "rowhouse/plugin-api/http";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { findByName } from "rowhouse/plugin-api/names";
import { requireViewable } from "../create/create-permissions.js";
import { objectBody, okReply, requireKnownMembers } from "../json/body.js";
import { isList, truthy } from "../json/cell-values.js";
import { eventFacts, runTransaction, withOperationIndex } from "../operation.js";
import {
  canView,
  mayReadDefinition,
  requirePermission,
  requireReferable,
  requireView,
  type WriteContext,
} from "../target/write-access.js";
import { definitionRoute } from "../target/write-route.js";
import { alterByStatements } from "./alter-by-statements.js";
import { alterByRebuild } from "./alter-by-rebuild.js";
import type { Altered, ParsedAlteration } from "./alteration.js";
import { IntegrityViolation } from "./integrity-check.js";
import { parseOperation } from "./operations.js";
import { redactProblems, visibleStatements } from "./redact-alteration.js";

/** `POST /<database>/<table>/-/alter`. */
export const alterTableRoute = definitionRoute("alter", "alter-table", async (visit) => {
  const { target } = visit;
  const { database, table, schema } = target;
  const document = await objectBody(visit, "JSON must be a dictionary");
  requireKnownMembers(document, ["operations", "dry_run"]);
  const read = await parseAlterations(visit, target, document);
  const dryRun = truthy(document.get("dry_run"));
  return async () => {
    const options = { database, table: table.name, schema, dryRun };
    const altered = await runTransaction(visit, options, (transaction) =>
      alter(transaction, database, table.name, read),
    ).catch(async (error: unknown) => {
      throw error instanceof IntegrityViolation ? await redactProblems(visit, database, error) : error;
    });
    if (!dryRun) {
      await trackEvents(visit, target, altered);
      await moveColumnTypes(visit, [database.name, altered.table], read);
    }
    return replyFor(visit, target, { altered, dryRun, count: read.length });
  };
});

function alter(
  transaction: Transaction,
  { dialect: { definitions } }: Database,
  table: string,
  read: readonly ParsedAlteration[],
): Promise<Altered> {
  const { alter: statements } = definitions;
  if (statements === "rebuild")
    return alterByRebuild(
      transaction,
      table,
      read.map(({ alteration }) => alteration),
    );
  const changes = read.map(({ change }) => change);
  return alterByStatements(transaction, table, changes, { alter: statements, definitions });
}

/** Each operation changes the whole definition. */
const MOST_OPERATIONS = 500;

async function parseAlterations(
  visit: WriteContext,
  target: TableTarget,
  document: JsonObject,
): Promise<readonly ParsedAlteration[]> {
  const operations = document.get("operations");
  if (!isList(operations)) throw new WriteRejected(['"operations" must be a list']);
  if (operations.length === 0) throw new WriteRejected(['"operations" must not be empty']);
  if (operations.length > MOST_OPERATIONS)
    throw new WriteRejected([`Too many operations, maximum allowed is ${MOST_OPERATIONS}`]);
  const alterations: ParsedAlteration[] = [];
  for (const [index, operation] of operations.entries()) {
    try {
      const read = parseOperation(operation, target.database.dialect.definitions.defaults);
      await requireExtraPermissions(visit, target, read);
      alterations.push(read);
    } catch (error) {
      throw withOperationIndex(index, error);
    }
  }
  return alterations;
}

/**
 * After a rename, the permission rules for the old name no longer apply: the actor could view the table. A foreign key
 * reveals values of the referenced table. A constraint or a type reveals by its success which values the rows have, also
 * in a dry run. All of them need further permissions.
 *
 * @throws WriteRejected
 */
async function requireExtraPermissions(
  visit: WriteContext,
  target: TableTarget,
  { alteration, refersTo, testsValues }: ParsedAlteration,
): Promise<void> {
  const { database, table } = target;
  if (testsValues === true) await requireView(visit, target, "add a constraint or change a type");
  if (alteration.kind === "rename") {
    await requireView(visit, target, "rename a table");
    const refusal = "Permission denied: need create-table and drop-table to rename a table";
    await requirePermission(visit, ["create-table", database.name], refusal);
    await requirePermission(visit, ["drop-table", [database.name, table.name]], refusal);
    await requireUsableName(visit, database, alteration.to);
  }
  for (const other of refersTo) await requireReferable(visit, database, other);
}

/** A name conflict reveals that a table exists, so the actor must be able to view the new name. @throws WriteRejected (403) */
async function requireUsableName(visit: WriteContext, database: Database, name: string): Promise<void> {
  const { tables } = await database.schema();
  const existing = findByName(tables.values(), name);
  await requireViewable(visit, database, { name: existing?.name ?? name, exists: existing !== undefined });
}

async function trackEvents(
  visit: WriteContext,
  target: TableTarget,
  { table, before, after }: Altered,
): Promise<void> {
  const events = visit.rowhouse.serviceIfAny("events");
  const facts = eventFacts(visit, target);
  await events?.track({ name: "alter-table", ...facts, table, before_schema: before, after_schema: after });
  if (table === target.table.name) return;
  const { actor, created, database } = facts;
  const [old_table, new_table] = [target.table.name, table];
  await events?.track({ name: "rename-table", actor, created, database, old_table, new_table });
}

/** Moves stored column types along with renamed columns, in the order of the operations: two columns may swap names. */
async function moveColumnTypes(
  { rowhouse }: WriteContext,
  table: readonly [database: string, table: string],
  read: readonly ParsedAlteration[],
): Promise<void> {
  const types = rowhouse.serviceIfAny("columnTypes");
  for (const { moves } of read) {
    if (moves !== undefined && types?.keeps === true) await types.move([...table, moves.column], moves.to);
  }
}

interface Result {
  readonly altered: Altered;
  readonly dryRun: boolean;
  readonly count: number;
}

/** The reply. Only actors who may view the table and those that it refers to get its definition. */
async function replyFor(
  visit: WriteContext,
  target: TableTarget,
  { altered, dryRun, count }: Result,
): Promise<Reply> {
  const { rowhouse, request } = visit;
  const { database } = target;
  const isReader = (await canView(visit, target)) && (await mayReadDefinition(visit, database, target.table));
  const url = (format?: string): string =>
    rowhouse.urls.absolute(request, rowhouse.urls.table(database.name, altered.table, format));
  return okReply({
    ...(dryRun && { dry_run: true }),
    database: database.name,
    table: altered.table,
    table_url: url(),
    table_api_url: url("json"),
    altered: altered.before !== altered.after,
    ...(isReader && { schema: altered.after, before_schema: altered.before }),
    operations_applied: count,
    ...(dryRun && isReader && { sql: await visibleStatements(visit, database, altered.statements) }),
  });
}
