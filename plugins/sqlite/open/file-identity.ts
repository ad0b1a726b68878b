import { createReadStream, statSync, type BigIntStats, type Stats } from "node:fs";
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import { isOnLocalFileSystem } from "./file-times.js";

// Reads check the file at most this often: a check can cost more than the read itself.
const CHECK_INTERVAL_MS = 200;
const ANY_WRITE = 0o222n;
const THE_FILE = "The database file";

interface IdentityOptions {
  readonly onReplaced: () => void;
  /** True if another content counts as another file. Default false. */
  readonly comparesContent?: boolean;
  /** How messages call the file. */
  readonly called?: string;
}

/** Detects that another file has replaced the one that was opened. */
export class FileIdentity {
  #latest: string | null = null;
  #isReadOnly = false;
  #hadContent = false;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | null = null;
  #isLocal: boolean | null = null;

  constructor(
    private readonly path: string,
    private readonly options: IdentityOptions,
  ) {}

  /**
   * True if the file, at the last check, had no write permission for its owner, its group or others. Such a file is
   * not written to, even if the operating system would allow it to root.
   */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** The size of the file in bytes. @throws DatabaseUnavailable if the file is gone */
  async sizeBytes(): Promise<number> {
    this.#isLocal ??= await isOnLocalFileSystem(this.path);
    const { size } = this.#isLocal ? statLocalFile(this.path) : await statFile(this.path, THE_FILE);
    return Number(size);
  }

  /** Checks the file unless it was checked recently. @throws DatabaseUnavailable if the file is gone */
  checkIfStale(): Promise<void> | void {
    if (performance.now() - this.#checkedMs < CHECK_INTERVAL_MS) return;
    return this.check();
  }

  /** Calls `onReplaced` if another file has the name. @throws DatabaseUnavailable if the file is gone or was emptied */
  check(): Promise<void> {
    this.#checking ??= this.#compare().finally(() => (this.#checking = null));
    return this.#checking;
  }

  async #compare(): Promise<void> {
    const identity = await this.#identity();
    if (this.#latest !== null && this.#latest !== identity) this.options.onReplaced();
    this.#latest = identity;
    this.#checkedMs = performance.now();
  }

  async #identity(): Promise<string> {
    const { called = THE_FILE, comparesContent = false } = this.options;
    const file = await statFile(this.path, called);
    if (!file.isFile()) throw new DatabaseUnavailable(`${called} is not a file any more.`);
    // SQLite reads a file without bytes as a database without tables.
    if (file.size > 0n) this.#hadContent = true;
    else if (this.#hadContent) throw new DatabaseUnavailable(`${called} was emptied.`);
    this.#isReadOnly = (file.mode & ANY_WRITE) === 0n;
    const content = comparesContent ? `:${file.size}:${file.mtimeNs}` : "";
    return `${file.dev}:${file.ino}${content}`;
  }
}

const statFile = (path: string, called: string): Promise<BigIntStats> =>
  stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    throw unavailable(called, error);
  });

/** Without a turn of the thread pool, which takes ten times as long. */
function statLocalFile(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw unavailable(THE_FILE, error as NodeJS.ErrnoException);
  }
}

const unavailable = (called: string, error: NodeJS.ErrnoException): DatabaseUnavailable =>
  new DatabaseUnavailable(`${called} ${error.code === "ENOENT" ? "is missing" : "can't be read"}.`, {
    cause: error,
  });

/** SHA-256 of a file in hex. */
export async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
