import type { ReadAllowlist } from "rowhouse/plugin-api/engine";
import { StatementConfined } from "rowhouse/plugin-api/errors";
import { foldName } from "rowhouse/plugin-api/names";
import type { Connection } from "../open/connection.js";
import { asRowhouseError, isSyntaxError, type DriverError } from "../open/errors.js";
import { namesAfterFrom, withoutHiddenAliases } from "./hidden-aliases.js";
import {
  isAllowed,
  mentionsOf,
  objectsNamed,
  readSources,
  type Mentions,
  type Source,
} from "./schema-names.js";
import { openedRoots, opensVirtual, PURE_FUNCTIONS, type Instruction } from "../sql/analyse.js";
import type { Query } from "./query.js";
import { explainedAt, singleStatement, type Statement } from "../sql/statement.js";
import { withBarriers } from "./view-barriers.js";

/**
 * Runs `read` if its statement reads only what the allowlist contains. The check and the read are in one transaction, so
 * the schema cannot change between them. Allowed views over other tables are read behind barriers.
 *
 * @throws StatementConfined if the statement reads anything else, or if this cannot be determined
 */
export async function runWithAllowlist<T>(
  connection: Connection,
  query: Query,
  allowlist: ReadAllowlist,
  read: (query: Query) => Promise<T>,
): Promise<T> {
  await connection.exec("begin");
  try {
    const sources = await readSources(connection, allowlist);
    const { statement, ctes } = withBarriers(query.statement, sources);
    const checked = { ...query, statement, ctes };
    await requireAllowed(connection, checked, sources);
    return await read(checked);
  } finally {
    // After some errors SQLite has already ended the transaction.
    await connection.exec("commit").catch(() => undefined);
  }
}

async function requireAllowed(
  connection: Connection,
  { statement, limits }: Pick<Query, "statement" | "limits">,
  sources: readonly Source[],
): Promise<void> {
  const compiled = explained(statement);
  const isExplain = compiled !== statement;
  const program = await connection
    .once<Instruction>({ sql: `explain ${compiled.sql}` }, limits)
    .catch((error: DriverError) => {
      throw revealsSchema(error) ? new StatementConfined() : asRowhouseError(error);
    });
  const checked = { statement: compiled, limits };
  const renamed = await withoutHiddenAliases(connection, checked, (name) => !mayBeNamed(name, sources));
  if (namesAfterFrom(renamed).some((name) => isUnknown(name, sources))) throw new StatementConfined();
  const found = mentionsOf(renamed, sources);
  // A plan names the tables, columns and indexes that a view reads, so for EXPLAIN these must be allowed too.
  const mentions = isExplain ? { ...found, usesAllowedView: false } : found;
  if (READING_FUNCTIONS.some((name) => mentions.all.has(name))) throw new StatementConfined();
  if (!opensOnlyAllowed(program, sources, { ...mentions, isExplain })) throw new StatementConfined();
  for (const name of mentions.tables) {
    if (!mayBeNamed(name, sources) && !(await isColumn(connection, name, sources, mentions))) {
      throw new StatementConfined();
    }
  }
}

/** Functions that read a table by name. The compiled program does not show this. */
const READING_FUNCTIONS = ["rtreecheck"];

/** The statement that an EXPLAIN explains; other statements unchanged. */
function explained(statement: Statement): Statement {
  const { verb, tokens, sql } = statement;
  if (verb === "pragma") throw new StatementConfined();
  if (verb !== "explain") return statement;
  return singleStatement(sql.slice(tokens[explainedAt(statement)]?.start));
}

/**
 * True if an error depends on the content of the schema. Syntax errors are found before any name is looked up. Other
 * errors can differ between a hidden table and one that does not exist.
 */
const revealsSchema = (error: DriverError): boolean => error.code === "SQLITE_ERROR" && !isSyntaxError(error);

/**
 * True if each table that a program opens is allowed, or can only be read through an allowed view. The explained statement
 * of EXPLAIN does not run, so it may be one that writes.
 */
function opensOnlyAllowed(
  program: readonly Instruction[],
  sources: readonly Source[],
  { all, usesAllowedView, isExplain }: Mentions & { readonly isExplain: boolean },
): boolean {
  const isOpen = ({ root, database, writes }: ReturnType<typeof openedRoots>[number]): boolean => {
    const source = sources.find(({ index }) => index === database);
    const name = source?.tablesByRoot.get(root);
    if (source === undefined || name === undefined || (writes && !isExplain)) return false;
    return source.allowed.tables.has(name) || (usesAllowedView && !all.has(foldName(name)));
  };
  if (!openedRoots(program).every(isOpen)) return false;
  return !opensVirtual(program) || virtualsAllowed(sources, { all, usesAllowedView });
}

/** Virtual tables are only found by name, so each name that could mean one must be allowed. */
function virtualsAllowed(
  sources: readonly Source[],
  { all, usesAllowedView }: Pick<Mentions, "all" | "usesAllowedView">,
): boolean {
  const isVirtual = (name: string): boolean =>
    name.startsWith("pragma_") ||
    sources.some(({ modules, objects }) => modules.has(name) || objects.get(name)?.kind === "virtual");
  const found = [...all].filter((name) => PURE_FUNCTIONS.has(name) || isVirtual(name));
  if (found.length === 0) return usesAllowedView;
  return found.every((name) => PURE_FUNCTIONS.has(name) || isAllowedObject(name, sources));
}

/** True also for names that no database contains. */
const mayBeNamed = (name: string, sources: readonly Source[]): boolean =>
  objectsNamed(name, sources).every(isAllowed);

const isUnknown = (name: string, sources: readonly Source[]): boolean =>
  sources.every(({ objects, modules }) => !objects.has(name) && !modules.has(name));

const isAllowedObject = (name: string, sources: readonly Source[]): boolean =>
  objectsNamed(name, sources).length > 0 && mayBeNamed(name, sources);

/** A word that is the name of a hidden table can also be a column of an allowed table. */
async function isColumn(
  connection: Connection,
  name: string,
  sources: readonly Source[],
  { all }: Mentions,
): Promise<boolean> {
  const tables = [...all].flatMap((mentioned) => objectsNamed(mentioned, sources)).filter(isAllowed);
  for (const { object, source } of tables) {
    const found = await connection.all({
      sql: "select 1 from pragma_table_xinfo(?1, ?2) where name = ?3 collate nocase",
      values: [object.name, source.schema, name],
    });
    if (found.length > 0) return true;
  }
  return false;
}
