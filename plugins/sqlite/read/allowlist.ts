import { StatementConfined, type ReadAllowlist } from "rowhouse/plugin-api";
import type { Connection } from "../open/connection.js";
import { asRowhouseError, isSyntaxError, type DriverError } from "../open/errors.js";
import { readSources, type Source } from "./readable-sources.js";
import { mentionsOf, type Mentions } from "./mentioned-names.js";
import { openedRoots, opensVirtual, PURE_FUNCTIONS, type Instruction } from "../sql/bytecode.js";
import type { Query } from "./query.js";
import { singleStatement, type Statement } from "../sql/statement.js";
import { withBarriers } from "./view-barriers.js";

/**
 * Runs `read` when its statement stays within its confinement. Both happen in one transaction, so that no schema
 * change can come between. Views that show a part of what may not be read are behind barriers in what is read.
 *
 * @throws StatementConfined when the statement reads anything else, or that can't be told
 */
export const withAllowlist = <T>(
  connection: Connection,
  question: Query,
  read: (question: Query) => Promise<T>,
): Promise<T> =>
  question.allowlist === undefined
    ? read(question)
    : onceConfined(connection, question, question.allowlist, read);

async function onceConfined<T>(
  connection: Connection,
  asked: Query,
  confinement: ReadAllowlist,
  read: (question: Query) => Promise<T>,
): Promise<T> {
  await connection.exec("begin");
  try {
    const sources = await readSources(connection, confinement);
    const { statement, ctes } = withBarriers(asked.statement, sources);
    const question = { ...asked, statement, ctes };
    await ensureConfined(connection, question, sources);
    return await read(question);
  } finally {
    // After some errors SQLite has ended the transaction already.
    await connection.exec("commit").catch(() => undefined);
  }
}

async function ensureConfined(
  connection: Connection,
  { statement, limits }: Pick<Query, "statement" | "limits">,
  sources: readonly Source[],
): Promise<void> {
  const compiled = explained(statement);
  const program = await connection
    .once<Instruction>({ sql: `explain ${compiled.sql}`, values: [] }, limits)
    .catch((error: DriverError) => {
      throw isTelling(error) ? new StatementConfined() : asRowhouseError(error);
    });
  const mentions = mentionsOf(compiled, sources);
  if (READING_FUNCTIONS.some((name) => mentions.all.has(name))) throw new StatementConfined();
  if (!opensOnlyAllowed(program, sources, mentions)) throw new StatementConfined();
  for (const name of mentions.tables) {
    if (!isAllowed(name, sources) && !(await isColumn(connection, name, sources, mentions))) {
      throw new StatementConfined();
    }
  }
}

/** Functions that read the table whose name they are given, which no program shows. */
const READING_FUNCTIONS = ["rtreecheck"];

/** What an EXPLAIN explains; any other statement itself. */
function explained(statement: Statement): Statement {
  const { verb, tokens, sql } = statement;
  if (verb === "pragma") throw new StatementConfined();
  if (verb !== "explain") return statement;
  const isPlan = tokens[1]?.text.toLowerCase() === "query" && tokens[2]?.text.toLowerCase() === "plan";
  return singleStatement(sql.slice(tokens[isPlan ? 3 : 1]?.start));
}

/**
 * Does a complaint depend on what there is in the database? Mistakes of grammar are found before anything is
 * looked up; all else differs between a table that is hidden and one that does not exist.
 */
const isTelling = (error: DriverError): boolean => error.code === "SQLITE_ERROR" && !isSyntaxError(error);

/** What a program opens must be allowed, or shown by a view that is and out of reach otherwise. */
function opensOnlyAllowed(
  program: readonly Instruction[],
  sources: readonly Source[],
  { all, passesOpenView }: Mentions,
): boolean {
  const isOpen = ({ root, database, writes }: ReturnType<typeof openedRoots>[number]): boolean => {
    const source = sources.find(({ index }) => index === database);
    const name = source?.tablesByRoot.get(root);
    if (source === undefined || name === undefined || writes) return false;
    return source.allowed.tables.has(name) || (passesOpenView && !all.has(name.toLowerCase()));
  };
  if (!openedRoots(program).every(isOpen)) return false;
  return !opensVirtual(program) || virtualsAllowed(sources, { all, passesOpenView });
}

/** Virtual tables are known by their names only: every name that could mean one must be allowed. */
function virtualsAllowed(
  sources: readonly Source[],
  { all, passesOpenView }: Pick<Mentions, "all" | "passesOpenView">,
): boolean {
  const isVirtual = (name: string): boolean =>
    name.startsWith("pragma_") ||
    sources.some(({ modules, objects }) => modules.has(name) || objects.get(name)?.kind === "virtual");
  const found = [...all].filter((name) => PURE_FUNCTIONS.has(name) || isVirtual(name));
  if (found.length === 0) return passesOpenView;
  return found.every((name) => PURE_FUNCTIONS.has(name) || isAllowedObject(name, sources));
}

/** True for what no database has. */
const isAllowed = (name: string, sources: readonly Source[]): boolean =>
  sources.every(({ objects, allowed }) => {
    const object = objects.get(name);
    return object === undefined || allowed.tables.has(object.name) || allowed.views.has(object.name);
  });

const isAllowedObject = (name: string, sources: readonly Source[]): boolean =>
  sources.some(({ objects }) => objects.has(name)) && isAllowed(name, sources);

/** A word that is a hidden table's name may as well mean a column of a table that may be read. */
async function isColumn(
  connection: Connection,
  name: string,
  sources: readonly Source[],
  { all }: Mentions,
): Promise<boolean> {
  for (const { schema, objects, allowed } of sources) {
    for (const mentioned of all) {
      const table = objects.get(mentioned)?.name;
      if (table === undefined || !(allowed.tables.has(table) || allowed.views.has(table))) continue;
      const found = await connection.all({
        sql: "select 1 from pragma_table_xinfo(?1, ?2) where name = ?3 collate nocase",
        values: [table, schema, name],
      });
      if (found.length > 0) return true;
    }
  }
  return false;
}
