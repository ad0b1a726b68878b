import type { Schema } from "rowhouse/plugin-api";
import type { Analysis } from "rowhouse/plugin-api/engine";
import type { Session } from "../connect/session.js";
import { bind, parameterNames, singleStatement, type Statement } from "../sql/statement.js";
import { meaningful, nameOf } from "../sql/tokens.js";

const KINDS: Readonly<Record<string, Analysis["kind"]>> = {
  select: "select",
  values: "select",
  table: "select",
  insert: "insert",
  update: "update",
  delete: "delete",
  create: "schema",
  alter: "schema",
  drop: "schema",
  explain: "explain",
};

const UNKNOWN = { kind: "unknown", reads: null, writes: null } as const;

/**
 * Determines what a statement does. Which tables it reads is known only for `select * from <view>`: functions and rules
 * can read others, and the planner leaves some out.
 */
export async function analyse(session: Session, schema: Schema, sql: string): Promise<Analysis> {
  const statement = singleStatement(sql);
  const parameters = parameterNames(statement);
  const kind = KINDS[statement.verb];
  if (kind === undefined || !(await isValid(session, statement))) {
    return { ...UNKNOWN, parameters };
  }
  const source = wholeTable(statement);
  const reads = source === null || !schema.tables.has(source) ? null : tablesRead(schema, source);
  return { kind, reads, writes: kind === "select" || kind === "explain" ? [] : null, parameters };
}

/** The table of `select * from <table>`; null for other statements. */
function wholeTable({ tokens }: Statement): string | null {
  const [select, star, from, name, ...rest] = meaningful(tokens);
  const isWhole =
    select?.text.toLowerCase() === "select" && star?.text === "*" && from?.text.toLowerCase() === "from";
  return isWhole && name !== undefined && rest.length === 0 ? nameOf(name) : null;
}

/** The tables below a view, at any depth; the table itself for a table. Null if a view can read others. */
function tablesRead({ tables }: Schema, name: string): readonly string[] | null {
  const visited = new Set([name]);
  for (const one of visited) {
    const { reads = [] } = tables.get(one) ?? {};
    if (reads === null) return null;
    for (const next of reads) visited.add(next);
  }
  return [...visited].filter((one) => tables.get(one)?.kind === "table");
}

/** True if PostgreSQL can plan the statement, with NULL for every parameter. */
async function isValid(session: Session, statement: Statement): Promise<boolean> {
  if (["create", "alter", "drop", "explain"].includes(statement.verb)) return true;
  const nulls = Object.fromEntries(parameterNames(statement).map((name) => [name, null]));
  try {
    const { text, values } = bind(statement, nulls);
    await session.run({ text: `explain ${text}`, values });
    return true;
  } catch {
    return false;
  }
}
