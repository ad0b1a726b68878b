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
export function callApi(
  asker: Asker,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return callWith(asker, path, jsonText(body), { "content-type": "application/json", ...headers });
}

/** One operation on the rows of a table, as a batch has it. */
export interface RowWrite {
  readonly op: "insert" | "update" | "delete";
  readonly members: Readonly<Record<string, unknown>>;
}

interface TablePlace {
  readonly database: string;
  readonly table: string;
}

/** Writes to one row, and has the operations that undo it in `undo` of the document. */
export const writeRow = (asker: Asker, place: TablePlace, write: RowWrite): Promise<Answer> =>
  batchOf(asker, place, write, { undo: true });

/** The reply that the write would get. Nothing is stored. */
export const tryRow = (asker: Asker, place: TablePlace, write: RowWrite): Promise<Answer> =>
  batchOf(asker, place, write, { dry_run: true });

async function batchOf(
  asker: Asker,
  { database, table }: TablePlace,
  { op, members }: RowWrite,
  options: Readonly<Record<string, true>>,
): Promise<Answer> {
  const operations = [{ op, table, ...members }];
  const path = `${asker.rowhouse.urls.database(database)}/-/batch`;
  const answer = await callApi(asker, path, { operations, ...options });
  return { ...answer, errors: answer.errors.map((error) => error.replace(/^Operation 0: /, "")) };
}

/** The same with a body of another type. */
export async function callWith(
  { rowhouse, actor }: Asker,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
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
