import { jsonText, type Reply, type Visit } from "rowhouse/plugin-api";
import { textOfBody } from "rowhouse/plugin-api/http";
import { parseExactJson } from "rowhouse/plugin-api/json";

/** The reply of the JSON API to a request of a page. */
export interface Answer {
  readonly ok: boolean;
  readonly reply: Reply;
  /** The body of the reply. */
  readonly text: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** The errors to show; empty if there are none. */
  readonly errors: readonly string[];
}

type Asker = Pick<Visit, "rowhouse" | "actor">;

/**
 * Posts to the JSON API with the actor of the page, so pages and programs have the same permissions. Numbers stay
 * exact.
 */
export const callApi = (asker: Asker, path: string, body: unknown): Promise<Answer> =>
  postJson(asker, path, jsonText(body));

/** One operation on the rows of a table, as a batch has it. */
export interface RowWrite {
  readonly op: "insert" | "update" | "delete";
  readonly members: Readonly<Record<string, unknown>>;
}

type TableOrRow = Visit<"table"> | Visit<"row">;

/** Writes to one row of the table of the page, and has the operations that undo it in `undo` of the document. */
export const writeRow = (visit: TableOrRow, write: RowWrite): Promise<Answer> =>
  batchOf(visit, write, { undo: true });

/** The reply that the write would get. Nothing is stored. */
export const tryRow = (visit: TableOrRow, write: RowWrite): Promise<Answer> =>
  batchOf(visit, write, { dry_run: true });

async function batchOf(
  visit: TableOrRow,
  { op, members }: RowWrite,
  options: Readonly<Record<string, true>>,
): Promise<Answer> {
  const { database, table } = visit.target;
  const operations = [{ op, table: table.name, ...members }];
  const path = `${visit.rowhouse.urls.database(database.name)}/-/batch`;
  const answer = await callApi(visit, path, { operations, ...options });
  return { ...answer, errors: answer.errors.map((error) => error.replace(/^Operation 0: /, "")) };
}

/** {@link callApi} with a body that is JSON text already. */
export async function postJson({ rowhouse, actor }: Asker, path: string, body: string): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return answerOf(await rowhouse.fetch(path, { method: "POST", headers, body, actor }));
}

/** Reads a JSON page with the actor of the page. */
export async function readApi({ rowhouse, actor }: Asker, path: string): Promise<Answer> {
  return answerOf(await rowhouse.fetch(path, { actor }));
}

async function answerOf(reply: Reply): Promise<Answer> {
  const text = await textOfBody(reply.body);
  const parsed = parseExactJson(text) as Readonly<Record<string, unknown>>;
  const ok = reply.status < 400;
  return { ok, reply, text, document: parsed, errors: ok ? [] : errorsOf(parsed) };
}

function errorsOf(document: Readonly<Record<string, unknown>>): readonly string[] {
  const { errors, error } = document;
  if (Array.isArray(errors) && errors.length > 0) return errors.map(String);
  return [typeof error === "string" ? error : "This could not be done"];
}
