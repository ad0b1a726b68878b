import { createHash } from "node:crypto";
import { messageOf, StartupError, type Database, type Table } from "rowhouse/plugin-api";
import { comparable } from "./carried-value.js";
import { ALL_ROWS } from "./column-kinds.js";
import type { Sides } from "./copy-target.js";
import type { TableCopy } from "./create-table.js";

type Compared = Pick<Sides, "from" | "to">;

/** @throws StartupError unless both sides have the same number of rows and the same values */
export async function compareCopy({ from, to }: Compared, copy: TableCopy, copied: number): Promise<void> {
  const { name } = copy.table;
  const list = copy.columns.map(to.dialect.quoteIdentifier).join(", ");
  const [there, here] = await Promise.all([
    checksum(from, copy),
    checksum(to, { ...copy, sql: `select ${list} from ${to.dialect.quoteIdentifier(name)}` }),
  ]);
  if (here.rows !== copied || there.rows !== here.rows)
    throw new StartupError(`${name} has ${there.rows} rows, its copy ${here.rows}`);
  if (there.sum !== here.sum) throw new StartupError(`The copy of ${name} has other values`);
}

/** The sum of the digests of all rows, which does not depend on their order. */
async function checksum(
  database: Database,
  { sql, types }: Pick<TableCopy, "sql" | "types">,
  options = ALL_ROWS,
) {
  let rows = 0;
  let sum = 0n;
  for await (const batch of database.stream(sql, [], options)) {
    for (const row of batch.rows) {
      const text = JSON.stringify(row.map((value, index) => comparable(value, types[index] ?? "text")));
      sum = BigInt.asUintN(64, sum + createHash("sha256").update(text).digest().readBigUInt64LE());
      rows += 1;
    }
  }
  return { rows, sum };
}

const VIEW_LIMIT = { ...ALL_ROWS, timeLimitMs: 60_000 };

/** Why a view of the target is not like that of the source; null if both return the same rows. */
export async function viewDifference(
  { from, to }: Compared,
  { name, columns }: Table,
): Promise<string | null> {
  const types = columns.map(() => "number" as const);
  const read = (database: Database) =>
    checksum(database, { sql: `select * from ${database.dialect.quoteIdentifier(name)}`, types }, VIEW_LIMIT);
  try {
    const [there, here] = [await read(from), await read(to)];
    if (there.rows === here.rows && there.sum === here.sum) return null;
    return `the view ${name}: it returns other rows than in the source`;
  } catch (error) {
    return `the view ${name}: it can't be compared: ${messageOf(error)}`;
  }
}
