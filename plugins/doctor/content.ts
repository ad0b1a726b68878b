import { quoteIdentifier, type Database } from "rowhouse/plugin-api";
import type { ForeignKey, Table } from "rowhouse/plugin-api/engine";
import { ok, problem, warning, type Finding } from "./finding.js";

/** The checks read the whole file. */
const TIME_LIMIT_MS = 3_600_000;
/** After so many rows the check of foreign keys ends: one shows the mistake. */
const MAX_ROWS = 1_000;

/** Checks the content of a database: damage, foreign keys and the indexes for them. */
export async function checkContent(database: Database, shown: string): Promise<readonly Finding[]> {
  const damage = await integrity(database, shown);
  if (damage.level === "problem") return [damage];
  const { tables } = await database.schema();
  const missing = [...tables.values()].flatMap((table) => unindexedKeys(table, shown));
  return [damage, ...(await foreignKeys(database, shown)), ...missing];
}

async function integrity(database: Database, shown: string): Promise<Finding> {
  const { rows } = await database.read("pragma integrity_check(1)", [], { timeLimitMs: TIME_LIMIT_MS });
  const text = (await isCut(database)) ? "its end is missing" : String(rows[0]?.[0]);
  if (text === "ok") return ok(shown, "Is not damaged");
  return problem(shown, `Is damaged: ${text}`, "Restore a backup with rowhouse restore");
}

/** SQLite reads a last page that is cut as if the rest of it were zeros. */
async function isCut(database: Database): Promise<boolean> {
  const { sizeBytes } = await database.describe();
  const { rows } = await database.read("pragma page_size");
  return Number(sizeBytes) % Number(rows[0]?.[0]) !== 0;
}

async function foreignKeys(database: Database, shown: string): Promise<readonly Finding[]> {
  const { rows } = await database.read("pragma foreign_key_check", [], {
    timeLimitMs: TIME_LIMIT_MS,
    maxRows: MAX_ROWS,
  });
  const tables = [...new Set(rows.map(([table]) => String(table)))];
  return tables.map((table) => {
    const count = rows.filter(([name]) => name === table).length;
    return warning(
      shown,
      `${count === MAX_ROWS ? `At least ${count}` : count} rows of ${table} refer to rows that do not exist`,
      `To see them, run: sqlite3 ${shown} 'pragma foreign_key_check(${quoteIdentifier(table)})'`,
    );
  });
}

/** Each page of a row counts the rows that refer to it, which reads the whole table without an index. */
function unindexedKeys(table: Table, shown: string): readonly Finding[] {
  return table.foreignKeys
    .filter((key) => !isIndexed(table, key))
    .map(({ columns }) => {
      const name = quoteIdentifier(`${table.name}_${columns.join("_")}`);
      const target = `${quoteIdentifier(table.name)} (${columns.map(quoteIdentifier).join(", ")})`;
      const text = `The foreign key ${columns.join(", ")} of ${table.name} has no index`;
      return warning(shown, text, `Run the statement: create index ${name} on ${target}`);
    });
}

function isIndexed({ indexes, primaryKeys }: Table, { columns }: ForeignKey): boolean {
  const lists = [primaryKeys, ...indexes.filter(({ partial }) => !partial).map((index) => index.columns)];
  return lists.some((list) => columns.every((column) => list.slice(0, columns.length).includes(column)));
}
