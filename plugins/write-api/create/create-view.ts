import type { Database, Reply } from "rowhouse/plugin-api";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { newColumnTypes, setColumnTypes } from "../alter/set-column-type.js";
import { objectBody, okReply } from "../json/body.js";
import { runTransaction } from "../operation.js";
import { mayReadDefinition, requireReferable, type WriteContext } from "../target/write-access.js";
import { writeRoute } from "../target/write-route.js";
import { permissionsOnDatabase, requireCreatePermissions } from "./create-permissions.js";
import { parseCreateRequest, type CreateRequest } from "./create-request.js";
import { createTable, type Created } from "./create-table.js";

/** `POST /<database>/-/create`: creates a table, or adds rows to an existing one. */
export const createTableRoute = writeRoute<"database">({
  name: "create-table",
  path: "/:database/-/create",
  target: "database",
  requires: ({ database }) => [["create-table", database]],
  async prepare(visit) {
    const { database } = visit.target;
    const document = await objectBody(visit, "JSON must be an object");
    const body = await parseCreateRequest(
      document,
      permissionsOnDatabase(visit, database),
      database.dialect.definitions.defaults,
    );
    const columnTypes = newColumnTypes(visit, document, body);
    const schema = await database.schema();
    await requireCreatePermissions(visit, { database, schema, body });
    await requireReferableTables(visit, database, body);
    const types = body.rows.length === 0 ? null : await columnTypesOf(visit, database.name, body.table);
    const existing = schema.tables.get(body.table);
    const isShown = existing === undefined || (await mayReadDefinition(visit, database, existing));
    return async () => {
      const created = await runTransaction(visit, { database, table: body.table, schema }, (transaction) =>
        createTable(transaction, { dialect: database.dialect, body, types, request: visit.request }),
      );
      await trackEvents(visit, { database, body, created });
      await setColumnTypes(visit, [database.name, body.table], columnTypes);
      return createdReply(visit, database, { body, schema: isShown ? created.schema : undefined });
    };
  },
});

function createdReply(
  { rowhouse, request }: WriteContext,
  database: Database,
  { body, schema }: { readonly body: CreateRequest; readonly schema: string | undefined },
): Reply {
  const url = (format?: string): string =>
    rowhouse.urls.absolute(request, rowhouse.urls.table(database.name, body.table, format));
  return okReply(
    {
      database: database.name,
      table: body.table,
      table_url: url(),
      table_api_url: url("json"),
      schema,
      row_count: body.columns === null ? body.rows.length : undefined,
    },
    201,
  );
}

/** @throws WriteRejected */
async function requireReferableTables(
  context: WriteContext,
  database: Database,
  { table, columns }: CreateRequest,
): Promise<void> {
  for (const { references } of columns ?? []) {
    if (references === undefined || references.table === table) continue;
    await requireReferable(context, database, references.table);
  }
}

interface TableCreation {
  readonly database: Database;
  readonly body: CreateRequest;
  readonly created: Created;
}

async function trackEvents(
  { rowhouse, actor }: WriteContext,
  { database, body, created }: TableCreation,
): Promise<void> {
  const events = rowhouse.serviceIfAny("events");
  const about = { actor, created: new Date(), database: database.name, table: body.table };
  if (created.isNew) await events?.track({ name: "create-table", ...about, schema: created.schema });
  if (created.schemaChange !== null) {
    const { before, after } = created.schemaChange;
    await events?.track({ name: "alter-table", ...about, before_schema: before, after_schema: after });
  }
  if (body.columns !== null) return;
  const { ignore, replace } = body;
  await events?.track({ name: "insert-rows", ...about, num_rows: body.rows.length, ignore, replace });
}
