import {
  BadRequest,
  quoteIdentifier,
  reply,
  type Reply,
  type Table,
  type Transaction,
  type Visit,
} from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { editable } from "./editable.js";
import { COLUMN_TYPES } from "./schema-page.js";

const LONGEST_FORM_BYTES = 10_000;

/** What a form asks for: the statement that does it, and what to say then. */
interface Change {
  readonly sql: string;
  readonly done: string;
}

/** Renames or adds a column, tells other plugins, and leads back to the page with a message. */
export async function changeSchema(visit: Visit<"table">): Promise<Reply> {
  const { rowhouse, request } = visit;
  const { database, table } = await editable(visit);
  const { fields: form } = await request.form(LONGEST_FORM_BYTES);
  const change = readChange(form, table);
  const messages = rowhouse.serviceIfAny("messages");
  try {
    const { before, after } = await database.write((transaction) => run(transaction, table.name, change));
    await tell(visit, before, after);
    messages?.add(request, change.done);
  } catch (error) {
    // The engine's own words say best why a name is taken or a view would break.
    if (!(error instanceof SqlFailed)) throw error;
    messages?.add(request, error.message, "error");
  }
  return reply.redirect(rowhouse.urls.path(request.path), 303);
}

/** @throws BadRequest for a form that this plugin did not make */
function readChange(form: URLSearchParams, table: Table): Change {
  const name = (form.get("name") ?? "").trim();
  if (name === "") throw new BadRequest("A column needs a name");
  const start = `alter table ${quoteIdentifier(table.name)}`;
  if (form.get("operation") === "rename") {
    const column = table.columns.find((one) => one.name === form.get("column"));
    if (column === undefined) throw new BadRequest("There is no such column");
    return {
      sql: `${start} rename column ${quoteIdentifier(column.name)} to ${quoteIdentifier(name)}`,
      done: `${column.name} is now called ${name}`,
    };
  }
  const type = COLUMN_TYPES.find((one) => one === form.get("type"));
  if (form.get("operation") !== "add" || type === undefined) throw new BadRequest("Nothing to do");
  return { sql: `${start} add column ${quoteIdentifier(name)} ${type}`, done: `${name} was added` };
}

interface Changed {
  readonly before: string;
  readonly after: string;
}

async function run(transaction: Transaction, table: string, { sql }: Change): Promise<Changed> {
  const definition = async (): Promise<string> => (await transaction.schema()).tables.get(table)?.sql ?? "";
  const before = await definition();
  await transaction.run(sql);
  return { before, after: await definition() };
}

async function tell(
  { rowhouse, actor, target }: Visit<"table">,
  before: string,
  after: string,
): Promise<void> {
  await rowhouse.serviceIfAny("events")?.track({
    name: "alter-table",
    actor,
    created: new Date(),
    database: target.database.name,
    table: target.table.name,
    before_schema: before,
    after_schema: after,
  });
}
