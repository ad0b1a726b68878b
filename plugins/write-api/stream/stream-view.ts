import { createHash, type Hash } from "node:crypto";
import { DatabaseUnavailable, SchemaChanged } from "rowhouse/plugin-api/errors";
import {
  BadRequest,
  RowhouseError,
  WriteRejected,
  type Reply,
  type Table,
  type Visit,
} from "rowhouse/plugin-api";
import { currentActor } from "rowhouse/plugin-api/access";
import { keyColumns } from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { readIdempotencyKey } from "../idempotency/idempotency-store.js";
import { jsonList, okReply, type StreamFormat } from "../json/body.js";
import { formsOf, type FormOf } from "../json/cell-values.js";
import { eventFacts, runIdempotently, schemaChangeEvents, type WriteOperation } from "../operation.js";
import { addColumns, requireAlterPermission } from "../rows/add-columns.js";
import { acceptedColumns, columnsInOrder, insertRules, upsertRules } from "../rows/rows-request.js";
import {
  canView,
  requireHiddenRowsKept,
  requirePermission,
  requireReplacePermission,
  type WriteContext,
} from "../target/write-access.js";
import type { PreparedWrite } from "../target/write-route.js";
import { bodyText } from "./body-text.js";
import { loadRows } from "./load-rows.js";
import { csvRows, ndjsonRows, type RowSource } from "./row-sources.js";
import {
  inferColumnsFromTexts,
  inferColumnsFromValues,
  noNewColumns,
  stageRows,
  type NewColumnCollector,
  type StagingResult,
} from "./stage-rows.js";
import { StagedRows } from "./staged-rows.js";
import { charsetOf, parseCsvOptions, parseStreamOptions, type StreamOptions } from "./stream-request.js";

const BYTES_IN_MB = 1024 * 1024;

/**
 * Prepares the insert of a stream of rows. The body can be read only once, so it is read under the current schema.
 *
 * @throws SchemaChanged if the target was found in an outdated schema
 */
export async function prepareStream(
  visit: Visit<"table">,
  format: StreamFormat,
  { isUpsert }: { readonly isUpsert: boolean },
): Promise<PreparedWrite> {
  const { database, schema } = visit.target;
  if ((await database.schema()).version !== schema.version) throw new SchemaChanged();
  return () => insertStream(visit, format, isUpsert);
}

/**
 * Inserts the rows of a body that may be larger than memory. Rows are validated and staged in a file as they arrive, and
 * written in one transaction after the last one: a slow client does not hold the write lock.
 *
 * @throws WriteRejected, SqlFailed
 */
async function insertStream(visit: Visit<"table">, format: StreamFormat, isUpsert: boolean): Promise<Reply> {
  const { target } = visit;
  const options = parseStreamOptions(visit.request.query, { format, isUpsert });
  requireHiddenRowsKept(target);
  await requireOptionPermissions(visit, options);
  if (options.returnsKeys) requireReturnableKeys(target.table);
  const staged = await withRoom(StagedRows.open());
  try {
    const { table } = target;
    const rules = options.upsert ? upsertRules(table, options.alter) : insertRules(table, options.alter);
    const newColumns = options.alter ? newColumnsFor(format, acceptedColumns(table)) : noNewColumns;
    const digest = createHash("sha256");
    const types = await columnTypesOf(visit, target.database.name, table.name);
    const { dialect } = target.database;
    const formOf = formsOf({ dialect, table });
    const rows = rowsOf(visit, { format, digest, table, formOf });
    const received = await withRoom(
      stageRows(rows, { rules, newColumns, table, staged, types, dialect, formOf }),
    );
    await requireStillAllowed(visit, options);
    const operation = loadOperation(visit, target, { options, received, staged });
    return await runIdempotently(visit, operation, {
      once: readIdempotencyKey(visit, digest.digest("base64url")),
      describe: ({ count, keys }) => okReply({ row_count: count, keys }, isUpsert ? 200 : 201),
    });
  } finally {
    await staged.remove();
  }
}

/**
 * The result of a step before the write. The error of a full disk alone would not say that nothing is written.
 *
 * @throws DatabaseUnavailable
 */
async function withRoom<Result>(step: Promise<Result>): Promise<Result> {
  try {
    return await step;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    throw new DatabaseUnavailable("The disk of the server is full", { cause: error });
  }
}

/** The permissions that options need beside those of the route. @throws WriteRejected (403) */
async function requireOptionPermissions(visit: Visit<"table">, options: StreamOptions): Promise<void> {
  if (options.conflict === "replace") await requireReplacePermission(visit, visit.target);
  if (options.alter) await requireAlterPermission(visit, visit.target);
}

/**
 * An upload may take days. Meanwhile its token may have expired or been revoked, or its actor may have lost a permission.
 *
 * @throws WriteRejected (403)
 */
async function requireStillAllowed(visit: Visit<"table">, options: StreamOptions): Promise<void> {
  const { target } = visit;
  const actor = await currentActor(visit);
  if (actor?.id !== visit.actor?.id) throw new WriteRejected([REFUSAL], 403);
  const now = { ...visit, actor };
  const resource = [target.database.name, target.table.name] as const;
  for (const action of options.upsert ? ["insert-row", "update-row"] : ["insert-row"])
    await requirePermission(now, [action, resource], REFUSAL);
  await requireOptionPermissions(now, options);
}

const REFUSAL = "Permission denied";

/** @throws WriteRejected if the statements of the engine return no keys of this table */
function requireReturnableKeys(table: Table): void {
  if (table.kind === "table" && keyColumns(table).length > 0) return;
  throw new WriteRejected([`"return_keys": the rows of ${table.name} have no keys that can be returned`]);
}

interface Body {
  readonly format: StreamFormat;
  readonly digest: Hash;
  readonly table: Table;
  readonly formOf: FormOf;
}

/** @throws WriteRejected */
function rowsOf({ rowhouse, request }: WriteContext, { format, digest, table, formOf }: Body): RowSource {
  const csv = parseCsvOptions(request.query, format);
  const text = bodyText(withDigest(request.stream(), digest), {
    maxBytes: rowhouse.setting("max_insert_stream_mb") * BYTES_IN_MB,
    encoding: format === "ndjson" ? "utf-8" : charsetOf(request),
    name: "body",
  });
  return format === "ndjson" ? ndjsonRows(text, formOf) : csvRows(text, csv, columnsInOrder(table), formOf);
}

/** @throws BadRequest if the client disconnects */
async function* withDigest(body: AsyncIterable<Uint8Array>, digest: Hash): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of body) {
      digest.update(piece);
      yield piece;
    }
  } catch (error) {
    if (error instanceof RowhouseError) throw error;
    throw new BadRequest("The request body could not be read", { cause: error });
  }
}

const newColumnsFor = (format: StreamFormat, known: ReadonlySet<string>): NewColumnCollector =>
  format === "ndjson" ? inferColumnsFromValues(known) : inferColumnsFromTexts(known);

interface Load {
  readonly options: StreamOptions;
  readonly received: StagingResult;
  readonly staged: StagedRows;
}

function loadOperation(
  visit: WriteContext,
  target: TableTarget,
  { options, received, staged }: Load,
): WriteOperation {
  const { database, table } = target;
  return {
    database,
    table: table.name,
    // The body cannot be read again for another schema.
    schema: null,
    run: async (transaction) => {
      const altered = await addColumns(
        transaction,
        { dialect: database.dialect, table },
        received.newColumns,
      );
      const { count, keys } = await loadRows(
        {
          dialect: database.dialect,
          transaction,
          source: { ...target.source, table: altered.table },
          options,
          hidesTypes: !(await canView(visit, target)),
        },
        staged,
      );
      return {
        count,
        rows: null,
        schemaChange: altered.schemaChange,
        ...(options.returnsKeys && { keys: jsonList(keys) }),
      };
    },
    events: ({ schemaChange }) => [
      ...schemaChangeEvents(visit, target, schemaChange),
      options.upsert
        ? { name: "upsert-rows", ...eventFacts(visit, target), num_rows: received.count }
        : {
            name: "insert-rows",
            ...eventFacts(visit, target),
            num_rows: received.count,
            ignore: options.conflict === "ignore",
            replace: options.conflict === "replace",
          },
    ],
  };
}
