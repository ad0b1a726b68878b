import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { messageOf, StartupError } from "rowhouse/plugin-api";

/** @throws StartupError with the reason if the file cannot be read */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartupError(`Could not read ${shownPath(path)}: ${systemReason(error)}`);
  }
}

/** @throws StartupError naming the file, the line and the reason */
export function readJsonFile(path: string): unknown {
  const parsed = parseJson(readText(path));
  if ("value" in parsed) return parsed.value;
  throw new StartupError(`Could not read ${shownPath(path)}: ${parsed.mistake}`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "No such file or directory",
  EACCES: "Permission denied",
  EISDIR: "Is a directory",
};

/** Why a file cannot be read or written: `Permission denied`. */
export function systemReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return REASONS[code] ?? messageOf(error);
}

/** A path relative to the current folder, if it is below it. */
export function shownPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith("..") ? path : below;
}

/** The value, or the mistake with its line and column. */
export function parseJson(written: string): { readonly value: unknown } | { readonly mistake: string } {
  try {
    return { value: JSON.parse(written) };
  } catch (error) {
    return { mistake: jsonMistake(written, messageOf(error)) };
  }
}

/** V8 reports at most an offset. Messages contain line and column. */
function jsonMistake(written: string, message: string): string {
  const reason = message.replace(/ in JSON( at position.*)?$/s, "").replace(/, \.*".*$/s, "");
  const stated = /at position (\d+)/.exec(message)?.[1];
  const offset = stated === undefined ? offsetOfMistake(written, reason) : Number(stated);
  const before = written.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${reason}`;
}

/** Without an offset: the shortest beginning of the text with the same error ends at the error. */
function offsetOfMistake(written: string, reason: string): number {
  let [good, bad] = [0, written.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (hasMistake(written.slice(0, middle), reason)) bad = middle;
    else good = middle;
  }
  return good;
}

function hasMistake(beginning: string, reason: string): boolean {
  try {
    JSON.parse(beginning);
    return false;
  } catch (error) {
    return error instanceof Error && error.message.startsWith(reason);
  }
}
