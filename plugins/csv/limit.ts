import { bodyOf, joinedInSlices } from "rowhouse/plugin-api/http";
import type { Request } from "rowhouse/plugin-api";

const MIB = 1024 * 1024;

type Client = Pick<Request, "signal">;

/** The setting `max_csv_mb` in bytes; Infinity for 0. */
export const limitBytes = (megabytes: number): number => (megabytes === 0 ? Infinity : megabytes * MIB);

/**
 * Joins lines up to the limit. The first line beyond it is replaced by an error message.
 *
 * @param limit in characters, which equals bytes for most data
 */
export function limited(
  lines: Iterable<string> | AsyncIterable<Iterable<string>>,
  limit: number,
  client: Client,
): Promise<string | AsyncIterable<string>> | AsyncIterable<string> {
  const budget = { left: limit };
  return Symbol.iterator in lines
    ? bodyOf(linesWithinLimit(lines, limit, budget), client)
    : batchesWithinLimit(lines, limit, budget, client);
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
