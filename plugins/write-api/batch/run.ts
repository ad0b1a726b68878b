import { tildeDecode } from "rowhouse/plugin-api";
import type { AroundWrite, Transaction } from "rowhouse/plugin-api";
import type { WriteVisit } from "../authorize-write.js";
import { redactError } from "../redact-error.js";
import type { Outcome, WriteOperation } from "../operation.js";
import { asOperation } from "../operation-place.js";

interface Running<T> {
  readonly dryRun: boolean;
  /** @param runAll runs every operation in its turn */
  work(transaction: Transaction, runAll: () => Promise<readonly Outcome[]>): Promise<T>;
}

/** One transaction for operations on one database, each inside the code that plugins put around writes to its table. */
export async function runInTransaction<T>(
  visit: WriteVisit,
  operations: readonly WriteOperation[],
  { dryRun, work }: Running<T>,
): Promise<T> {
  const database = visit.rowhouse.database(tildeDecode(visit.params["database"] ?? ""));
  const arounds = await Promise.all(operations.map((operation) => aroundOf(visit, operation)));
  const runAll = async (transaction: Transaction): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const [index, operation] of operations.entries()) {
      const around = arounds[index] ?? nothingAround;
      outcomes.push(await numbered(index, () => around(() => operation.run(transaction), transaction)));
    }
    return outcomes;
  };
  try {
    return await database.write((transaction) => work(transaction, () => runAll(transaction)), { dryRun });
  } catch (error) {
    const tables = [...new Set(operations.map(({ table }) => table))];
    throw await redactError(visit, { database, tables }, error);
  }
}

async function numbered<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asOperation(index, error);
  }
}

async function aroundOf(
  { rowhouse, request, actor }: WriteVisit,
  { database, table }: WriteOperation,
): Promise<AroundWrite> {
  const facts = { database: database.name, table, request, actor };
  return (await rowhouse.serviceIfAny("events")?.around(facts)) ?? nothingAround;
}

const nothingAround: AroundWrite = (write) => write();
