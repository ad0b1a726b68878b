import { jsonText, WriteRejected, type Database, type Reply, type SqlInput } from "rowhouse/plugin-api";
import type { Rows } from "rowhouse/plugin-api/engine";
import { QueryInterrupted, ReadOnlyDatabase } from "rowhouse/plugin-api/errors";
import type { JsonValue } from "rowhouse/plugin-api/json";
import { Arguments } from "../json/arguments.js";
import { jsonList, objectBody, okReply } from "../json/body.js";
import { cellValue, isObject } from "../json/cell-values.js";
import {
  readIdempotencyKeyWithBody,
  runIdempotently,
  type Outcome,
  type WriteOperation,
} from "../operation.js";
import type { WriteContext } from "../target/write-access.js";
import { writeRoute } from "../target/write-route.js";
import { authorizedOperations, type ClientStatement, type Operation } from "./analyse-statement.js";

/** Rows of a RETURNING clause that the reply contains. */
const MOST_ROWS = 10;

/** `POST /<database>/-/execute-write`: runs an INSERT, UPDATE or DELETE of the client. */
export const executeWriteRoute = writeRoute<"database">({
  name: "execute-write",
  path: "/:database/-/execute-write",
  target: "database",
  requires: ({ database }) => [["execute-write-sql", database]],
  refusal: "Permission denied: need execute-write-sql",
  async prepare(visit) {
    const { database } = visit.target;
    if (!database.mutable) throw new ReadOnlyDatabase();
    const body = new Arguments(await objectBody(visit, "JSON must be a dictionary"));
    body.allowOnly("sql", "params", "dry_run");
    const dryRun = body.flag("dry_run") ?? false;
    const sql = sqlOf(body.get("sql"));
    const params = paramsOf(database, sql, body.get("params"));
    const statement = { database, schema: await database.schema(), sql, params };
    const analysis = await authorizedOperations(visit, statement);
    const once = dryRun ? null : await readIdempotencyKeyWithBody(visit);
    const operation = operationOf(visit, { ...statement, dryRun }, analysis);
    const describe = ({ count, rows }: Outcome): Reply =>
      okReply({
        ...(dryRun && { dry_run: true }),
        message: `Query executed, ${count} ${count === 1 ? "row" : "rows"} affected`,
        rowcount: count,
        rows: jsonList((rows ?? []).slice(0, MOST_ROWS)),
        truncated: (rows ?? []).length > MOST_ROWS,
        analysis,
      });
    return () => runIdempotently(visit, operation, { once, describe });
  },
});

/** In characters. The checks read the statement several times, which would block the event loop for longer ones. */
const LONGEST_SQL = 50_000;

function sqlOf(value: JsonValue): string {
  if (typeof value !== "string" || value.trim() === "")
    throw new WriteRejected(['"sql" must be a statement']);
  if (value.length > LONGEST_SQL)
    throw new WriteRejected([`"sql" has at most ${LONGEST_SQL} characters: send values as "params"`]);
  if (!value.isWellFormed()) throw new WriteRejected(['"sql" has a surrogate without its pair']);
  return value;
}

/** The values of the parameters, by name. @throws WriteRejected unless the statement has just these parameters */
function paramsOf({ dialect }: Database, sql: string, given: JsonValue): Readonly<Record<string, SqlInput>> {
  if (given !== null && !isObject(given)) throw new WriteRejected(['"params" must be an object']);
  const values = given ?? new Map<string, JsonValue>();
  const used = dialect.parameters(sql);
  if (used.some((parameter) => parameter.startsWith("?")))
    throw new WriteRejected(["Parameters must have names, such as :name"]);
  const names = new Set(used.map((parameter) => parameter.slice(1)));
  const unknown = [...values.keys()].find((name) => !names.has(name));
  if (unknown !== undefined) throw new WriteRejected([`The statement has no parameter :${unknown}`]);
  const missing = [...names].find((name) => !values.has(name));
  if (missing !== undefined)
    throw new WriteRejected([`You did not supply a value for binding parameter :${missing}.`]);
  return Object.fromEntries([...values].map(([name, value]) => [name, cellValue(value)]));
}

type Execution = ClientStatement & { readonly dryRun: boolean };

function operationOf(
  { rowhouse, request, actor }: WriteContext,
  { database, schema, sql, params, dryRun }: Execution,
  analysis: readonly Operation[],
): WriteOperation {
  const written = analysis.filter(({ operation }) => operation !== "read");
  const timeLimitMs = rowhouse.setting("sql_time_limit_ms");
  return {
    database,
    table: null,
    schema,
    dryRun,
    async run(transaction) {
      const limits = { timeLimitMs, signal: request.signal };
      const { changes, returned } = await transaction.run(sql, params, limits).catch((error: unknown) => {
        if (!(error instanceof QueryInterrupted) || request.signal.aborted) throw error;
        throw new WriteRejected([`The statement took longer than ${timeLimitMs} ms. Nothing was changed`]);
      });
      return { count: changes, rows: returned === undefined ? null : firstRows(returned) };
    },
    events: ({ count }) => [
      {
        name: "execute-write",
        actor,
        created: new Date(),
        database: database.name,
        sql,
        tables: written.map(({ table }) => table),
        num_rows: count,
      },
    ],
  };
}

/** The rows that are shown, and one more if there are more, as JSON objects. */
const firstRows = ({ columns, rows }: Rows): readonly string[] =>
  rows
    .slice(0, MOST_ROWS + 1)
    .map((row) => jsonText(new Map(columns.map((column, index) => [column, row[index] ?? null]))));
