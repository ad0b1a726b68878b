import { WriteRejected, type Table } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { findByName, isPrivateTable } from "rowhouse/plugin-api/names";
import { Arguments } from "../json/arguments.js";
import { objectBody, okReply } from "../json/body.js";
import { storableText } from "../json/cell-values.js";
import { eventFacts, runTransaction } from "../operation.js";
import { requireView } from "../target/write-access.js";
import { definitionRoute } from "../target/write-route.js";

/** `POST /<database>/<table>/-/create-index`. */
export const createIndexRoute = definitionRoute("create-index", "create-index", async (visit) => {
  const { rowhouse, target } = visit;
  const { database, table, schema } = target;
  const body = new Arguments(await objectBody(visit, "JSON must be a dictionary"));
  body.allowOnly("columns", "name", "unique");
  // Its success tells whether two rows have equal values.
  if (body.flag("unique") === true) await requireView(visit, target, "create a unique index");
  const index = newIndex(body, database.dialect, table);
  return async () => {
    await runTransaction(visit, { database, table: table.name, schema }, (transaction) =>
      transaction.run(index.sql),
    );
    const created = { index: index.name, schema: index.sql };
    await rowhouse
      .serviceIfAny("events")
      ?.track({ name: "create-index", ...eventFacts(visit, target), ...created });
    return okReply({ database: database.name, table: table.name, ...created }, 201);
  };
});

interface NewIndex {
  readonly name: string;
  readonly sql: string;
}

/** The columns are in index order; `-year` means descending. */
function newIndex(body: Arguments, { definitions }: Dialect, table: Table): NewIndex {
  const declaredName = (text: string): string => definitions.declaredName(storableText(text));
  const columns = body.names("columns").map((text) => indexedColumn(table, text));
  if (columns.length === 0) throw new WriteRejected(['"columns" must not be empty']);
  const name = body.optionalName("name") ?? ["idx", table.name, ...columns.map((one) => one.name)].join("_");
  // Indexes and tables share their names: a plugin could not create its table.
  if (isPrivateTable(name)) throw new WriteRejected([`Invalid index name: ${name}`]);
  const listed = columns.map(
    ({ name: column, descends }) => declaredName(column) + (descends ? " DESC" : ""),
  );
  const verb = body.flag("unique") === true ? "CREATE UNIQUE INDEX" : "CREATE INDEX";
  const sql = `${verb} ${declaredName(name)}\n    ON ${declaredName(table.name)} (${listed.join(", ")})`;
  return { name, sql };
}

function indexedColumn(table: Table, text: string): { readonly name: string; readonly descends: boolean } {
  const named = (name: string): string | undefined => findByName(table.columns, name)?.name;
  const whole = named(text);
  if (whole !== undefined) return { name: whole, descends: false };
  const name = text.startsWith("-") ? named(text.slice(1)) : undefined;
  if (name === undefined) throw new WriteRejected([`no such column: ${text}`]);
  return { name, descends: true };
}

/** `POST /<database>/<table>/-/drop-index`. */
export const dropIndexRoute = definitionRoute("drop-index", "drop-index", async (visit) => {
  const { rowhouse, target } = visit;
  const { database, table, schema } = target;
  const body = new Arguments(await objectBody(visit, "JSON must be a dictionary"));
  const name = body.allowOnly("name").name("name");
  const index = table.indexes.find((one) => one.name === name);
  if (index === undefined) throw new WriteRejected([`no such index: ${name}`]);
  return async () => {
    await runTransaction(visit, { database, table: table.name, schema }, (transaction) =>
      transaction.run(`drop index ${database.dialect.quoteIdentifier(name)}`),
    );
    await rowhouse
      .serviceIfAny("events")
      ?.track({ name: "drop-index", ...eventFacts(visit, target), index: name });
    return okReply();
  };
});
