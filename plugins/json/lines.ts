import { begun, joinedInSlices } from "rowhouse/plugin-api";
import type { Request, RowSet, RowStream } from "rowhouse/plugin-api";
import type { JsonArguments } from "./arguments.js";
import { objectRows } from "./rows.js";
import { separated } from "./separated.js";

type Client = Pick<Request, "signal">;

/** One object a line, as they are read: the same text as without streaming, however many rows there are. */
export async function streamedLines(
  stream: RowStream,
  asked: JsonArguments,
  client: Client,
): Promise<AsyncIterable<string>> {
  return joined(await begun(stream.batches), asked, client);
}

async function* joined(
  batches: AsyncIterable<RowSet>,
  asked: JsonArguments,
  client: Client,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const rows of batches) {
    const lines = await joinedInSlices(separated(objectRows(rows, asked), "\n"), client);
    if (lines === "") continue;
    yield isFirst ? lines : `\n${lines}`;
    isFirst = false;
  }
}
