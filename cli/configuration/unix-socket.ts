import { rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { StartupError } from "rowhouse/plugin-api";

/** The size of `sun_path`, without the zero byte at its end. Node cuts longer paths. */
const LONGEST_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/**
 * Deletes a socket file that no server uses.
 *
 * @throws StartupError if no socket can be created at this path, or if a server uses the one that exists
 */
export async function ensureSocketFree(path: string): Promise<void> {
  const problem = pathProblem(path);
  if (problem !== null) throw cannotListen(path, problem);
  const answer = await connectionTo(path);
  if (answer === "connected") throw cannotListen(path, "the address is already in use");
  if (answer === "ECONNREFUSED") rmSync(path, { force: true });
}

export const cannotListen = (address: string, reason: string): StartupError =>
  new StartupError(`Could not listen on ${address}: ${reason}`);

/** @throws StartupError if the path of a socket in the folder for temporary files is too long */
export function requireShortPath(path: string): void {
  const problem = lengthProblem(path);
  if (problem !== null) throw cannotListen(path, `${problem}. Set TMPDIR to a shorter path`);
}

const lengthProblem = (path: string): string | null =>
  Buffer.byteLength(path) > LONGEST_PATH_BYTES
    ? `the path of a socket has at most ${LONGEST_PATH_BYTES} bytes`
    : null;

function pathProblem(path: string): string | null {
  const tooLong = lengthProblem(path);
  if (tooLong !== null) return tooLong;
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    return "its folder does not exist";
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSocket()) return null;
  return found.isDirectory() ? "this is a folder" : "this is a file, and not a socket. Choose another path";
}

/** The code of the error if there is no connection. */
function connectionTo(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const client = connect(path);
    client.once("connect", () => {
      client.destroy();
      resolve("connected");
    });
    client.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}
