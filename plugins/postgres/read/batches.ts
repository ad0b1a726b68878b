import type { TextResult } from "../connect/text-query.js";

/** The first rows show how large they are. */
const FIRST_FETCH = 50;
/** Rows of larger batches would take much memory. */
const MAX_BATCH_BYTES = 8_000_000;

/** Batches of a number of rows, or of fewer that are large together. The first one comes also if it is empty. */
export async function* batchesOf(
  fetchRows: (size: number) => Promise<TextResult>,
  batchSize: number,
): AsyncGenerator<TextResult> {
  let isFirst = true;
  let gathered: TextResult | null = null;
  let size = Math.min(batchSize, FIRST_FETCH);
  for (;;) {
    const part = await fetchRows(size);
    const batch: TextResult = gathered === null ? part : joined(gathered, part);
    const isLast = part.rows.length < size;
    const isFull = isLast || batch.rows.length === batchSize || batch.bytes >= MAX_BATCH_BYTES;
    if (isFull && (isFirst || batch.rows.length > 0)) yield batch;
    if (isLast) return;
    if (isFull) isFirst = false;
    gathered = isFull ? null : batch;
    size = Math.min(batchSize - (gathered?.rows.length ?? 0), nextSize(part));
  }
}

const joined = (one: TextResult, next: TextResult): TextResult => ({
  ...next,
  rows: [...one.rows, ...next.rows],
  bytes: one.bytes + next.bytes,
});

/** At most twice as many rows as the last time: they may be larger. */
function nextSize({ rows, bytes }: TextResult): number {
  const fitting = Math.floor((rows.length * MAX_BATCH_BYTES) / Math.max(1, bytes));
  return Math.max(1, Math.min(2 * rows.length, fitting));
}
