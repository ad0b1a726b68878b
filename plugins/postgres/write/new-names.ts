import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { Statement } from "../sql/statement.js";
import { meaningful, nameOf, type Token } from "../sql/tokens.js";

const MAX_NAME_BYTES = 63;
/** All tables of the system, which the server finds before those of a schema, begin with it. */
const OF_SYSTEM = "pg_";

/**
 * Names that CREATE and ALTER define. The server would cut a long one, so that clients would not find the table or column
 * by it. A table with the name of one of the system could never be read: statements would read that of the system.
 *
 * @throws SqlFailed
 */
export function requireUsableNames({ verb, tokens }: Statement): void {
  if (verb !== "create" && verb !== "alter") return;
  const names = tokens.flatMap((token) => nameOf(token) ?? []);
  const long = names.find((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  if (long !== undefined)
    throw new SqlFailed(`The name ${long} is longer than ${MAX_NAME_BYTES} bytes`, "other");
  const table = newTable(verb, meaningful(tokens));
  if (table?.startsWith(OF_SYSTEM) === true)
    throw new SqlFailed(`The name ${table} begins with ${OF_SYSTEM}, as those of the system do`, "other");
}

/** `create table NAME`, `create view NAME`, `alter table ... rename to NAME` */
function newTable(verb: string, tokens: readonly Token[]): string | null {
  const words = tokens.map(({ kind, text }) => (kind === "word" ? text.toLowerCase() : null));
  const before = words.findIndex((word, index) =>
    verb === "create" ? word === "table" || word === "view" : word === "to" && words[index - 1] === "rename",
  );
  const token = before === -1 ? undefined : tokens[before + 1];
  return token === undefined ? null : nameOf(token);
}
