import { quoteIdentifier, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { shellWord } from "rowhouse/plugin-api/contracts";
import { ok, problem, warning, type Finding } from "./finding.js";

/** The checks read the whole file. */
const TIME_LIMIT_MS = 3_600_000;
/** After so many rows the check of foreign keys ends: one shows the mistake. */
const MAX_ROWS = 1_000;

/** Checks the content of a database: damage, foreign keys, and indexes that would help. */
export async function checkContent(
  rowhouse: Rowhouse,
  database: Database,
  shown: string,
): Promise<readonly Finding[]> {
  const damage = await integrity(database, shown);
  if (damage.level === "problem") return [damage];
  const missing = (await rowhouse.serviceIfAny("advice")?.ofDatabase(database)) ?? [];
  const indexes = missing.map(({ reason, index }) => warning(shown, reason, `Run the statement: ${index}`));
  return [damage, ...(await foreignKeys(database, shown)), ...indexes];
}

async function integrity(database: Database, shown: string): Promise<Finding> {
  const { rows } = await database.read("pragma integrity_check(1)", [], { timeLimitMs: TIME_LIMIT_MS });
  const text = (await isCut(database)) ? "its end is missing" : String(rows[0]?.[0]);
  if (text === "ok") return ok(shown, "Is not damaged");
  return problem(
    shown,
    `Is damaged: ${await withName(database, text)}`,
    "Restore a backup with rowhouse restore",
  );
}

/** SQLite names a table or index by its first page, below a line that names no fault: `Tree 4 page 24: ...`. */
async function withName(database: Database, report: string): Promise<string> {
  const fault = report.replace(/^\*{3} in database main \*{3}\n/, "");
  const tree = /^Tree (\d+) /.exec(fault)?.[1];
  if (tree === undefined) return fault;
  const { rows } = await database.read("select type, name from sqlite_schema where rootpage = ?", [
    Number(tree),
  ]);
  return rows.map(([type, name]) => `the ${type} ${name}: ${fault}`)[0] ?? fault;
}

/** SQLite reads a last page that is cut as if the rest of it were zeros. */
async function isCut(database: Database): Promise<boolean> {
  const { sizeBytes } = await database.describe();
  const { rows } = await database.read("pragma page_size");
  return Number(sizeBytes) % Number(rows[0]?.[0]) !== 0;
}

async function foreignKeys(database: Database, shown: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, kind } of (await database.schema()).tables.values())
    if (kind === "table") findings.push(...(await foreignKeysOf(database, name, shown)));
  return findings;
}

/** A key that SQLite can't check refuses the check of all tables, so each is checked by itself. */
async function foreignKeysOf(database: Database, table: string, shown: string): Promise<readonly Finding[]> {
  const check = `pragma foreign_key_check(${quoteIdentifier(table)})`;
  try {
    const { rows } = await database.read(check, [], { timeLimitMs: TIME_LIMIT_MS, maxRows: MAX_ROWS });
    if (rows.length === 0) return [];
    const count = rows.length === MAX_ROWS ? `At least ${rows.length}` : rows.length;
    return [
      warning(
        shown,
        rows.length === 1
          ? `1 row of ${table} refers to a row that does not exist`
          : `${count} rows of ${table} refer to rows that do not exist`,
        `To see them, run: sqlite3 ${shellWord(shown)} ${shellWord(check)}`,
      ),
    ];
  } catch (error) {
    if (!(error instanceof SqlFailed) || !error.message.startsWith("foreign key mismatch")) throw error;
    return [
      warning(
        shown,
        `${error.message}: programs that enforce foreign keys can't write`,
        "Make a unique index over exactly the columns to which the key refers",
      ),
    ];
  }
}
