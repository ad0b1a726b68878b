import { SchemaChanged, WriteRejected, permissionChain } from "rowhouse/plugin-api";
import type { Database, Reply } from "rowhouse/plugin-api";
import { columnTypesOf, setColumnTypes } from "../alter/set-column-type.js";
import { objectBody, done } from "../json/body.js";
import { transact } from "../operation.js";
import { typesOf } from "../rows/column-type-checks.js";
import type { WriteVisit } from "../target/authorize-write.js";
import { databaseTarget } from "../target/table-target.js";
import { databasePermissions, requireCreating } from "./create-permissions.js";
import { createRequest } from "./create-request.js";
import type { CreateRequest } from "./create-request.js";
import { createTable } from "./create-table.js";
import type { Created } from "./create-table.js";

/** Creates a table, or adds rows to one. @throws WriteRejected and what the engine says */
export async function createView(visit: WriteVisit): Promise<Reply> {
  const database = await databaseTarget(visit, {
    actions: ["create-table"],
    refusal: "Permission denied",
  });
  const document = await objectBody(visit, "JSON must be an object");
  const asked = await createRequest(document, databasePermissions(visit, database));
  const columnTypes = columnTypesOf(visit, document, asked);
  const created = await create(visit, database, asked);
  await tell(visit, { database, asked, created });
  await setColumnTypes(visit, [database.name, asked.table], columnTypes);
  const { rowhouse, request } = visit;
  const url = (format?: string): string =>
    rowhouse.urls.absolute(request, rowhouse.urls.table(database.name, asked.table, format));
  return done(
    {
      database: database.name,
      table: asked.table,
      table_url: url(),
      table_api_url: url("json"),
      schema: created.schema,
      row_count: asked.columns === null ? asked.rows.length : undefined,
    },
    201,
  );
}

/** Checks and creates under one schema: a table that appears in between is checked like any other. */
async function create(visit: WriteVisit, database: Database, asked: CreateRequest): Promise<Created> {
  const schema = await database.schema();
  await requireCreating(visit, { database, schema, asked });
  await requireReferable(visit, database, asked);
  const types = asked.rows.length === 0 ? null : await typesOf(visit, database.name, asked.table);
  try {
    return await transact(visit, { database, table: asked.table, schema }, (transaction) =>
      createTable(transaction, asked, types),
    );
  } catch (error) {
    if (!(error instanceof SchemaChanged)) throw error;
    return create(visit, database, asked);
  }
}

/** A foreign key tells what is in the table that it points at. @throws WriteRejected */
async function requireReferable(
  { rowhouse, actor }: WriteVisit,
  database: Database,
  { table, columns }: CreateRequest,
): Promise<void> {
  for (const { references } of columns ?? []) {
    if (references === undefined || references.table === table) continue;
    const visible = await rowhouse.permissions.allowed(
      actor,
      permissionChain({ database, table: references.table }),
    );
    if (!visible) throw new WriteRejected([`no such table: ${references.table}`]);
  }
}

interface Made {
  readonly database: Database;
  readonly asked: CreateRequest;
  readonly created: Created;
}

async function tell({ rowhouse, actor }: WriteVisit, { database, asked, created }: Made): Promise<void> {
  const events = rowhouse.serviceIfAny("events");
  const about = { actor, created: new Date(), database: database.name, table: asked.table };
  if (created.isNew) await events?.track({ name: "create-table", ...about, schema: created.schema });
  if (created.widened !== null) {
    const { before, after } = created.widened;
    await events?.track({ name: "alter-table", ...about, before_schema: before, after_schema: after });
  }
  if (asked.columns !== null) return;
  const { ignore, replace } = asked;
  await events?.track({ name: "insert-rows", ...about, num_rows: asked.rows.length, ignore, replace });
}
