import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeWhenDone } from "./lifetimes.js";

/** Servers that are closed at the same time may still be deleting their files. */
const RETRIES = 10;

/** A new folder that is deleted after the test that created it, or after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rowhouse-spec-"));
  closeWhenDone({ close: () => rm(folder, { recursive: true, force: true, maxRetries: RETRIES }) });
  return folder;
}
