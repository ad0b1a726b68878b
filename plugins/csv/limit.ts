import { bodyOf, joinedInSlices } from "rowhouse/plugin-api";
import type { Request } from "rowhouse/plugin-api";

const MIB = 1024 * 1024;

type Client = Pick<Request, "signal">;

/** The setting `max_csv_mb` in bytes; Infinity when it is 0. */
export const limitBytes = (megabytes: number): number => (megabytes === 0 ? Infinity : megabytes * MIB);

/**
 * Lines up to the limit, joined for sending. The line that crosses it is replaced by a sentence that says so.
 *
 * @param limit in characters, which for most data is bytes
 */
export function limited(
  lines: Iterable<string> | AsyncIterable<Iterable<string>>,
  limit: number,
  client: Client,
): Promise<string | AsyncIterable<string>> | AsyncIterable<string> {
  const room = { left: limit };
  return Symbol.iterator in lines
    ? bodyOf(fit(lines, limit, room), client)
    : fitAll(lines, limit, room, client);
}

/** What is left of the limit while an export is written. */
interface Room {
  left: number;
}

async function* fitAll(
  batches: AsyncIterable<Iterable<string>>,
  limit: number,
  room: Room,
  client: Client,
): AsyncGenerator<string> {
  for await (const lines of batches) {
    const text = await joinedInSlices(fit(lines, limit, room), client);
    if (text !== "") yield text;
    if (room.left < 0) return;
  }
}

function* fit(lines: Iterable<string>, limit: number, room: Room): Generator<string> {
  for (const line of lines) {
    room.left -= line.length;
    if (room.left < 0) return yield `CSV contains more than ${limit} bytes`;
    yield line;
  }
}
