const MIB = 1024 * 1024;

/** The setting `max_csv_mb` in bytes; Infinity when it is 0. */
export const limitBytes = (megabytes: number): number => (megabytes === 0 ? Infinity : megabytes * MIB);

/**
 * Lines up to the limit, joined for sending. The line that crosses it is replaced by a sentence that says so.
 *
 * @param limit in characters, which for most data is bytes
 */
export function limited(
  lines: readonly string[] | AsyncIterable<readonly string[]>,
  limit: number,
): string | AsyncIterable<string> {
  const room = { left: limit };
  return isList(lines) ? fit(lines, limit, room) : fitAll(lines, limit, room);
}

/** What is left of the limit while an export is written. */
interface Room {
  left: number;
}

const isList = (lines: readonly string[] | AsyncIterable<readonly string[]>): lines is readonly string[] =>
  Array.isArray(lines);

async function* fitAll(batches: AsyncIterable<readonly string[]>, limit: number, room: Room) {
  for await (const lines of batches) {
    const text = fit(lines, limit, room);
    if (text !== "") yield text;
    if (room.left < 0) return;
  }
}

function fit(lines: readonly string[], limit: number, room: Room): string {
  let end = 0;
  for (const line of lines) {
    room.left -= line.length;
    if (room.left < 0) return `${lines.slice(0, end).join("")}CSV contains more than ${limit} bytes`;
    end += 1;
  }
  return lines.join("");
}
