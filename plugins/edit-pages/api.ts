import { jsonText, parseExactJson } from "rowhouse/plugin-api";
import type { Reply, Visit } from "rowhouse/plugin-api";

/** What the JSON API answered to a page that asked in its visitor's name. */
export interface Answer {
  readonly ok: boolean;
  readonly reply: Reply;
  readonly document: Readonly<Record<string, unknown>>;
  /** For people; empty when all went well. */
  readonly errors: readonly string[];
}

type Asker = Pick<Visit, "rowhouse" | "actor">;

/** Posts to the JSON API as the visitor: what pages may do is what programs may do. Numbers stay exact. */
export function callApi(
  asker: Asker,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return callWith(asker, path, jsonText(body), { "content-type": "application/json", ...headers });
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

/** Reads a JSON page as the visitor. */
export async function readApi({ rowhouse, actor }: Asker, path: string): Promise<Answer> {
  return answerOf(await rowhouse.fetch(path, { actor }));
}

function answerOf(reply: Reply): Answer {
  const parsed = parseExactJson(String(reply.body)) as Readonly<Record<string, unknown>>;
  const ok = reply.status < 400;
  return { ok, reply, document: parsed, errors: ok ? [] : errorsOf(parsed) };
}

function errorsOf(document: Readonly<Record<string, unknown>>): readonly string[] {
  const { errors, error } = document;
  if (Array.isArray(errors) && errors.length > 0) return errors.map(String);
  return [typeof error === "string" ? error : "This could not be done"];
}
