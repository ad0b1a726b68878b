import type { Database } from "rowhouse/plugin-api";
import { boundedCache } from "rowhouse/plugin-api/kernel";

/** Suggested columns whose computation took long. */
interface SlowSuggestions {
  readonly columns: readonly string[];
  readonly tookMs: number;
  /** On the clock of `performance.now()`. Later while new ones are computed. */
  untilMs: number;
}

/** What takes less time is computed again whenever the data has changed. */
const SLOW_MS = 5;
/** Suggestions of a table may take at most this share of the time, however often its data changes. */
const LARGEST_SHARE = 0.02;
/** Suggestions that should be computed again are used for this time, so that no page waits for new ones. */
const LONGEST_RENEWAL_MS = 10_000;

const slow = boundedCache<SlowSuggestions>("suggestions", 500_000, ({ columns }) =>
  columns.reduce((size, name) => size + name.length + 20, 0),
);

const numbers = new WeakMap<Database, number>();
let lastNumber = 0;

/** Databases of several servers in one process may have the same name. */
function numberOf(database: Database): number {
  const known = numbers.get(database) ?? (lastNumber += 1);
  numbers.set(database, known);
  return known;
}

/** What suggestions depend on beside the data. */
export interface SuggestionSource {
  readonly database: Database;
  readonly key: string;
}

/**
 * Suggestions are hints: if computing them takes long, they are kept for some time although the data changes.
 * Otherwise a large table that is written to would be scanned again for each page. After that time, a page shows the
 * old ones once more, and new ones are computed meanwhile.
 *
 * @param isUsable false for results that others must not get, such as those of a client that has disconnected
 */
export async function keptIfSlow(
  { database, key }: SuggestionSource,
  compute: () => Promise<readonly string[]>,
  isUsable: () => boolean,
): Promise<readonly string[]> {
  const id = `${numberOf(database)} ${key}`;
  const startedMs = performance.now();
  const known = slow.get(id);
  if (known !== undefined && startedMs < known.untilMs) return known.columns;
  const renew = async (): Promise<readonly string[]> => {
    const columns = await compute();
    const endedMs = performance.now();
    const tookMs = endedMs - startedMs;
    if (tookMs < SLOW_MS) slow.delete(id);
    else if (isUsable()) slow.set(id, { columns, tookMs, untilMs: endedMs + tookMs / LARGEST_SHARE });
    return columns;
  };
  if (known === undefined || startedMs > known.untilMs + LONGEST_RENEWAL_MS) return renew();
  known.untilMs = startedMs + LONGEST_RENEWAL_MS;
  // A page that finds none reports the error.
  void renew().catch(() => slow.delete(id));
  return known.columns;
}
