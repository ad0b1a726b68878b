import { createReadStream, statSync } from "node:fs";
import { messageOf, StartupError } from "rowhouse/plugin-api";
import type { StreamFormat } from "../json/body.js";

export type InputFormat = StreamFormat | "json";

/** The input: a file, or standard input. */
export interface Input {
  /** Null if unknown. */
  readonly sizeBytes: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** @param name a path, or `-` @throws StartupError when there is no such file */
export function openInput(name: string): Input {
  if (name === "-") return { sizeBytes: null, bytes: process.stdin };
  const found = statSync(name, { throwIfNoEntry: false });
  if (found === undefined) throw wrongFile(`Path '${name}' does not exist.`);
  if (!found.isFile() && !found.isFIFO()) throw wrongFile(`Path '${name}' is not a file.`);
  return { sizeBytes: found.isFile() ? found.size : null, bytes: readFile(name) };
}

/** @throws StartupError if the system does not let it be read */
async function* readFile(name: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(name);
  } catch (cause) {
    throw new StartupError(`Path '${name}' cannot be read: ${messageOf(cause)}`, 1, { cause });
  }
}

const wrongFile = (reason: string): StartupError =>
  new StartupError(`Invalid value for 'FILE': ${reason}`, 2);

const ENDINGS: readonly (readonly [ending: RegExp, format: InputFormat])[] = [
  [/\.geojson$/i, "json"],
  [/\.csv$/i, "csv"],
  [/\.tsv$/i, "tsv"],
  [/\.(?:ndjson|jsonl|nl)$/i, "ndjson"],
];

/** The format by the file name; null if the name does not determine it. */
export const formatByName = (name: string): InputFormat | null =>
  ENDINGS.find(([ending]) => ending.test(name))?.[1] ?? null;

/** The format by the beginning of the text. */
export function formatByContent(beginning: string): InputFormat {
  const text = beginning.trimStart();
  if (text.startsWith("[")) return "json";
  const [line = ""] = text.split(/[\r\n]/);
  if (text.startsWith("{")) return isRow(line) ? "ndjson" : "json";
  return line.includes("\t") ? "tsv" : "csv";
}

/** False for a part of an object, and for GeoJSON in one line. */
function isRow(line: string): boolean {
  try {
    const { type } = JSON.parse(line) as { readonly type?: unknown };
    return type !== "FeatureCollection";
  } catch {
    return false;
  }
}

/** Reads the beginning of a text, and returns it with a stream of the complete text. */
export async function peek(
  text: AsyncIterable<string>,
): Promise<{ readonly beginning: string; readonly text: AsyncIterable<string> }> {
  const pieces = text[Symbol.asyncIterator]();
  let beginning = "";
  let isEnd = false;
  // The first line decides; a very long one is cut off.
  while (!isEnd && beginning.length < 65_536 && !/[\r\n]/.test(beginning.trimStart())) {
    const { done, value } = await pieces.next();
    isEnd = done === true;
    if (!isEnd) beginning += value;
  }
  const rest = async function* (): AsyncIterable<string> {
    yield beginning;
    if (!isEnd) yield* { [Symbol.asyncIterator]: () => pieces };
  };
  return { beginning, text: rest() };
}
