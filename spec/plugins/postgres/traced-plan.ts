import type { TestReply } from "../../harness/index.js";
import type { PostgresServer } from "../../harness/postgres.js";

interface Trace {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
}

/** The plan of the first statement of a request with `_trace=1` that contains `text`. */
export async function tracedPlan(
  server: PostgresServer,
  uri: string,
  reply: TestReply,
  text: string,
): Promise<string> {
  const { traces } = reply.json["_trace"] as { readonly traces: readonly Trace[] };
  const trace = traces.find(({ sql }) => sql.includes(text));
  if (trace === undefined) throw new Error(`No statement contains ${text}`);
  const sql = trace.sql.replaceAll(/:(p\d+)/g, (_all, name: string) => `'${trace.params[name]}'`);
  return JSON.stringify(await server.run(`explain ${sql}`, uri.split("/").at(-1)));
}
