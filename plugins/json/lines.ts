import { begun } from "rowhouse/plugin-api";
import type { RowSet, RowStream } from "rowhouse/plugin-api";
import type { JsonArguments } from "./arguments.js";
import { objectRows } from "./rows.js";

/** One object a line, as they are read: the same text as without streaming, however many rows there are. */
export async function streamedLines(stream: RowStream, asked: JsonArguments): Promise<AsyncIterable<string>> {
  return joined(await begun(stream.batches), asked);
}

async function* joined(batches: AsyncIterable<RowSet>, asked: JsonArguments): AsyncGenerator<string> {
  let isFirst = true;
  for await (const rows of batches) {
    const lines = objectRows(rows, asked).join("\n");
    if (lines === "") continue;
    yield isFirst ? lines : `\n${lines}`;
    isFirst = false;
  }
}
