import { createHash } from "node:crypto";
import type { Database, SqlValue, Transaction } from "rowhouse/plugin-api";
import { comparable } from "./carried-value.js";
import { ALL_ROWS } from "./column-kinds.js";
import type { TableCopy } from "./source-table.js";

/** The number of rows, and the sum of their digests, which does not depend on their order. */
export class TableDigest {
  #rows = 0;
  #sum = 0n;

  constructor(private readonly types: TableCopy["types"]) {}

  get rows(): number {
    return this.#rows;
  }

  add(row: readonly SqlValue[]): void {
    const text = JSON.stringify(row.map((value, index) => comparable(value, this.types[index] ?? "text")));
    this.#sum = BigInt.asUintN(64, this.#sum + createHash("sha256").update(text).digest().readBigUInt64LE());
    this.#rows += 1;
  }

  equals(other: TableDigest): boolean {
    return this.#rows === other.#rows && this.#sum === other.#sum;
  }
}

/** The digest of the rows that a statement returns. */
export async function digestOf(
  database: Pick<Database | Transaction, "stream">,
  { sql, types }: Pick<TableCopy, "sql" | "types">,
  options = ALL_ROWS,
): Promise<TableDigest> {
  const digest = new TableDigest(types);
  for await (const { rows } of database.stream(sql, [], options)) for (const row of rows) digest.add(row);
  return digest;
}
