import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeWhenDone } from "./lifetimes.js";

/** What closes at the same time may still remove files of its own. */
const RETRIES = 10;

/** A new folder that is removed after the test that made it, or after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rowhouse-spec-"));
  closeWhenDone({ close: () => rm(folder, { recursive: true, force: true, maxRetries: RETRIES }) });
  return folder;
}
