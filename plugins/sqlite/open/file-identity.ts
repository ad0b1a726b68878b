import { createReadStream } from "node:fs";
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { DatabaseUnavailable } from "rowhouse/plugin-api";

// How stale our knowledge of the file may be where a look at it would cost more than the read itself.
const LOOK_EVERY_MS = 200;
const ANY_WRITE = 0o222n;

/** Is the file that was opened still the one under its name? */
export class FileIdentity {
  #seen: string | null = null;
  #isReadOnly = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(
    private readonly path: string,
    /** Immutable files are read without locks: any change to them makes what was read doubtful. */
    private readonly contentMatters: boolean,
    private readonly replaced: () => void,
  ) {}

  /**
   * Had the file, at the last look, no permission to write for its owner, its group or others? Such a file is not
   * written to, also where the operating system would let root do so.
   */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** A look unless the last one was just now. @throws DatabaseUnavailable when the file is gone */
  checkIfStale(): Promise<void> | void {
    if (performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
    return this.check();
  }

  /** Tells `replaced` when another file has taken the name. @throws DatabaseUnavailable when there is none */
  check(): Promise<void> {
    this.#looking ??= this.#compare().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #compare(): Promise<void> {
    const identity = await this.#identity();
    if (this.#seen !== null && this.#seen !== identity) this.replaced();
    this.#seen = identity;
    this.#lookedAt = performance.now();
  }

  async #identity(): Promise<string> {
    const file = await stat(this.path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
      throw new DatabaseUnavailable(
        error.code === "ENOENT" ? "The database file is missing." : "The database file can't be read.",
        { cause: error },
      );
    });
    if (!file.isFile()) throw new DatabaseUnavailable("The database file is not a file any more.");
    this.#isReadOnly = (file.mode & ANY_WRITE) === 0n;
    const content = this.contentMatters ? `:${file.size}:${file.mtimeNs}` : "";
    return `${file.dev}:${file.ino}${content}`;
  }
}

/** SHA-256 of a file in hex. */
export async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
