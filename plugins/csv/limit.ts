import { bodyOf, joinedInSlices, TimeSlices } from "rowhouse/plugin-api/http";
import type { Request } from "rowhouse/plugin-api";

const MIB = 1024 * 1024;

type Client = Pick<Request, "signal">;

/** The setting `max_csv_mb` in bytes; Infinity for 0. */
export const limitBytes = (megabytes: number): number => (megabytes === 0 ? Infinity : megabytes * MIB);

/** CSV up to the limit. The first line beyond it is replaced by an error message. */
export interface LimitedCsv {
  readonly body: string | AsyncIterable<string>;
  /** True if it is known before the first byte that lines are missing. */
  readonly cut: boolean;
}

/**
 * Joins the lines of a page up to the limit.
 *
 * @param limit in characters, which equals bytes for most data
 */
export async function limitedPage(
  lines: () => Iterable<string>,
  limit: number,
  client: Client,
): Promise<LimitedCsv> {
  const budget = { left: limit };
  const body = await bodyOf(linesWithinLimit(lines(), limit, budget), client);
  if (typeof body === "string") return { body, cut: budget.left < 0 };
  // The lines of a long body are computed while it is sent, but its headers are sent before.
  return { body, cut: limit < Infinity && (await isBeyond(lines(), limit, client)) };
}

/** The same for a stream, whose length is not known before its end. */
export const limitedStream = (
  batches: AsyncIterable<Iterable<string>>,
  limit: number,
  client: Client,
): LimitedCsv => ({ body: batchesWithinLimit(batches, limit, { left: limit }, client), cut: false });

async function isBeyond(lines: Iterable<string>, limit: number, client: Client): Promise<boolean> {
  const slices = new TimeSlices(client);
  let left = limit;
  for (const line of lines) {
    left -= line.length;
    if (left < 0) return true;
    if (slices.isOver) await slices.next();
  }
  return false;
}

/** The remaining part of the limit while an export is written. */
interface Budget {
  left: number;
}

async function* batchesWithinLimit(
  batches: AsyncIterable<Iterable<string>>,
  limit: number,
  budget: Budget,
  client: Client,
): AsyncGenerator<string> {
  for await (const lines of batches) {
    const text = await joinedInSlices(linesWithinLimit(lines, limit, budget), client);
    if (text !== "") yield text;
    if (budget.left < 0) return;
  }
}

function* linesWithinLimit(lines: Iterable<string>, limit: number, budget: Budget): Generator<string> {
  for (const line of lines) {
    budget.left -= line.length;
    if (budget.left < 0) return yield `CSV contains more than ${limit} bytes`;
    yield line;
  }
}
