import { lineMaker, type Plan } from "../check/plan.js";
import { nextTask } from "../check/scan.js";
import type { Source } from "../read/source.js";
import { ConnectionLost, insertedIn, postLines, Refused } from "./api.js";
import { InsertedKeys } from "./inserted-keys.js";

/** How rows are sent. */
export interface Transfer {
  readonly source: Source;
  readonly plan: Plan;
  /** The address of `/-/insert` with its arguments. */
  readonly url: string;
  readonly csrfToken: string;
  /** Rows of a transaction; null for one transaction of all rows. */
  readonly partSize: number | null;
  /** Cancels the import. */
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** The connection is lost for longer. @returns false to give up */
  onLost(): Promise<boolean>;
}

/** What is happening. */
export interface Progress {
  readonly phase: "preparing" | "sending" | "writing" | "again";
  /** Rows that were prepared. */
  readonly prepared: number;
  /** Rows that are stored. */
  readonly stored: number;
  /** The share of the body that was sent, from 0 to 1. */
  readonly share: number;
}

/** How an import ended. All that is stored is said. */
export interface Outcome {
  readonly end: "done" | "cancelled" | "refused" | "lost" | "unreadable";
  /** Rows that are stored. */
  readonly stored: number;
  /** Rows of the file that were left out. */
  readonly skipped: number;
  readonly keys: InsertedKeys;
  /** Why the import was refused. */
  readonly errors: readonly string[];
  /** The places of the first and last row of the part that failed. */
  readonly failed: readonly [first: number, last: number] | null;
}

/** Sends the rows of a file, in one transaction or in parts. */
export async function runImport(transfer: Transfer): Promise<Outcome> {
  const keys = new InsertedKeys();
  const run = new Run(transfer, keys);
  try {
    await run.all();
    return { end: "done", ...run.facts, keys, errors: [], failed: null };
  } catch (error) {
    const ended = { ...run.facts, keys, failed: run.currentPart };
    if (transfer.signal.aborted) return { ...ended, end: "cancelled", errors: [], failed: null };
    if (error instanceof Refused) return { ...ended, end: "refused", errors: run.placed(error.errors) };
    if (error instanceof ConnectionLost) return { ...ended, end: "lost", errors: [] };
    // Files that were changed or moved since they were chosen can't be read again.
    return { ...ended, end: "unreadable", errors: [], failed: null };
  }
}

const SLICE_MS = 30;
/** Before the same rows are sent again after a lost connection; then the user decides. */
const WAITS_MS = [1_000, 4_000];
/** In characters. Lines are collected before they become part of a Blob. */
const PIECE = 1024 * 1024;

class Run {
  #prepared = 0;
  #stored = 0;
  #skipped = 0;
  #places: number[] = [];
  #pieces: (Blob | string)[] = [];
  #lines: string[] = [];
  #length = 0;
  /** Null for servers that cannot store keys. */
  #run: string | null = runKey();

  constructor(
    private readonly transfer: Transfer,
    private readonly keys: InsertedKeys,
  ) {}

  get facts(): { readonly stored: number; readonly skipped: number } {
    return { stored: this.#stored, skipped: this.#skipped };
  }

  get currentPart(): readonly [first: number, last: number] | null {
    const [first] = this.#places;
    const last = this.#places.at(-1);
    return first === undefined || last === undefined ? null : [first, last];
  }

  /** Names the rows of messages by their places in the file. */
  placed(errors: readonly string[]): readonly string[] {
    const { placeName } = this.transfer.source;
    // The messages of the server are English.
    const capital = placeName[0]?.toUpperCase() + placeName.slice(1);
    return errors.map((error) =>
      error.replace(/^Row (\d+)(?: \(line \d+\))?/, (whole, index) => {
        const place = this.#places[Number(index)];
        return place === undefined ? String(whole) : `${capital} ${place}`;
      }),
    );
  }

  async all(): Promise<void> {
    const { source, plan, partSize, signal } = this.transfer;
    const lineOf = lineMaker(plan);
    let pausedAt = performance.now();
    for await (const rows of source.rows()) {
      for (const row of rows) {
        const line = lineOf(row);
        if (line === null) this.#skipped += 1;
        else this.#add(line, row.place);
        if (partSize !== null && this.#places.length >= partSize) await this.#send();
      }
      if (performance.now() - pausedAt < SLICE_MS) continue;
      this.#report("preparing", 0);
      await nextTask();
      signal.throwIfAborted();
      pausedAt = performance.now();
    }
    if (this.#places.length > 0) await this.#send();
  }

  #add(line: string, place: number): void {
    this.#places.push(place);
    this.#lines.push(line);
    this.#length += line.length;
    this.#prepared += 1;
    if (this.#length > PIECE) this.#store();
  }

  /** Browsers keep large Blobs on disk. */
  #store(): void {
    this.#pieces.push(new Blob([`${this.#lines.join("\n")}\n`]));
    this.#lines = [];
    this.#length = 0;
  }

  async #send(): Promise<void> {
    const { signal } = this.transfer;
    signal.throwIfAborted();
    this.#store();
    const lines = new Blob(this.#pieces);
    const { count, keys } = insertedIn(await this.#postOnce(lines));
    this.#stored += count;
    this.keys.add(keys);
    this.#places = [];
    this.#pieces = [];
    this.#report("preparing", 1);
    signal.throwIfAborted();
  }

  /** The server stores these rows once, also if they are sent again because its reply was lost. */
  async #postOnce(lines: Blob): Promise<string> {
    const waits = [...WAITS_MS];
    for (;;) {
      try {
        return await this.#post(lines);
      } catch (error) {
        if (error instanceof Refused && this.#run !== null && refusesKeys(error)) this.#run = null;
        else if (error instanceof ConnectionLost && this.#run !== null) await this.#waitAgain(waits);
        else throw error;
      }
    }
  }

  #post(lines: Blob): Promise<string> {
    const { url, csrfToken, partSize, signal } = this.transfer;
    // A part that was begun is completed, so that it is known what is stored.
    const abort = partSize === null ? signal : new AbortController().signal;
    const onProgress = (share: number): void => this.#report(share < 1 ? "sending" : "writing", share);
    onProgress(0);
    const idempotencyKey = this.#run === null ? null : `${this.#run}-${this.#prepared}`;
    return postLines(url, lines, { csrfToken, idempotencyKey, signal: abort, onProgress });
  }

  /** @throws ConnectionLost if the user gives up */
  async #waitAgain(waits: number[]): Promise<void> {
    const wait = waits.shift();
    this.#report("again", 0);
    if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
    else if (!(await this.transfer.onLost())) throw new ConnectionLost();
  }

  #report(phase: Progress["phase"], share: number): void {
    this.transfer.onProgress({ phase, prepared: this.#prepared, stored: this.#stored, share });
  }
}

/** Pages without TLS have no `crypto.randomUUID`. */
const runKey = (): string =>
  `import-${[...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-")}`;

/** Keys are stored in a table, which a role of PostgreSQL may not be allowed to create. Nothing was stored then. */
const refusesKeys = ({ message }: Refused): boolean => message.includes("permission denied");
