import { openRaw } from "../../harness/raw-sqlite.js";
import { printedBy } from "../../harness/run-command.js";

/** Runs `rowhouse copy` in this process. Returns what it prints. */
export const copy = (from: string, to: string, options: object = {}): Promise<string> =>
  printedBy("copy", { from, to, ...options });

/** The rows of a query on a SQLite file. */
export const rowsOf = async (file: string, sql: string): Promise<readonly unknown[]> => {
  const raw = await openRaw(file);
  try {
    return await raw.all(sql);
  } finally {
    await raw.close();
  }
};
