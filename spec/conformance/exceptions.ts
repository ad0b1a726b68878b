import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A recorded answer that a binding line of the published contract overrides. */
export interface Exception {
  /** Name of the case. */
  readonly case: string;
  /** The line that wins. */
  readonly line: string;
}

const FILE = fileURLToPath(new URL("../../../spec/conformance/exceptions.json", import.meta.url));

/** The overriding lines, by name of the case. */
export const exceptions: ReadonlyMap<string, string> = new Map(
  (JSON.parse(readFileSync(FILE, "utf8")) as Exception[]).map((exception) => [
    exception.case,
    exception.line,
  ]),
);
