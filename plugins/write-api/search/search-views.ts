import { WriteRejected } from "rowhouse/plugin-api";
import type { Reply, Table } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import { Arguments } from "../arguments.js";
import { sameName } from "../sql-parts.js";
import { objectBody } from "../body.js";
import { eventFacts } from "../operation.js";
import { done } from "../replies.js";
import { alterTarget } from "../targets.js";
import { transact } from "../transact.js";
import {
  createSearchIndex,
  dropSearchIndex,
  requireSearchable,
  searchTableName,
  tokenizers,
} from "./search-index.js";
import type { SearchWishes } from "./search-index.js";

/** Makes a table searchable. @throws WriteRejected and what the engine says */
export async function enableSearchView(visit: WriteVisit): Promise<Reply> {
  const target = await alterTarget(visit);
  const { database, table } = target;
  const body = new Arguments(await objectBody(visit, "JSON must be a dictionary"));
  const replaces = body.only("columns", "tokenize", "replace").flag("replace") === true;
  const wishes = wishesOf(body, table);
  await transact(visit, { database, table: table.name }, async (transaction) => {
    if (replaces && table.fullText !== null) await dropSearchIndex(transaction, table);
    const schema = await transaction.schema();
    const current = schema.tables.get(table.name) ?? table;
    requireSearchable(current, schema);
    await createSearchIndex(transaction, current, wishes);
  });
  const events = visit.rowhouse.serviceIfAny("events");
  await events?.track({ name: "enable-search", ...eventFacts(visit, target), columns: wishes.columns });
  const index = searchTableName(table.name);
  return done({ database: database.name, table: table.name, fts_table: index, columns: wishes.columns }, 201);
}

function wishesOf(body: Arguments, table: Table): SearchWishes {
  const columns = body.names("columns").map((name) => {
    const found = table.columns.find((column) => sameName(column.name, name));
    if (found === undefined) throw new WriteRejected([`no such column: ${name}`]);
    return found.name;
  });
  if (columns.length === 0) throw new WriteRejected(['"columns" must not be empty']);
  const asked = body.has("tokenize") ? body.get("tokenize") : "unicode61";
  const tokenizer = tokenizers.find((one) => one === asked);
  if (tokenizer === undefined)
    throw new WriteRejected([`"tokenize" must be one of ${tokenizers.join(", ")}`]);
  return { columns, tokenizer };
}

/** Takes search away from a table; its rows stay as they are. @throws WriteRejected and what the engine says */
export async function disableSearchView(visit: WriteVisit): Promise<Reply> {
  const target = await alterTarget(visit);
  const { database, table } = target;
  await transact(visit, { database, table: table.name }, (transaction) =>
    dropSearchIndex(transaction, table),
  );
  await visit.rowhouse
    .serviceIfAny("events")
    ?.track({ name: "disable-search", ...eventFacts(visit, target) });
  return done();
}
