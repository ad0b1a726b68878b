import { randomBytes } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "rowhouse/plugin-api/engine";

/** An item as one line of text, and back. */
export interface LineFormat<Item> {
  readonly write: (item: Item) => string;
  readonly read: (line: string) => Item;
}

/** Rows as JSON, which contains no line feeds. */
export const rowsAsLines = <Item>(): LineFormat<Item> => ({
  write: JSON.stringify,
  read: (line) => JSON.parse(line) as Item,
});

/** Bytes in base64. */
export const BYTES_AS_LINES: LineFormat<Buffer> = {
  write: (bytes) => bytes.toString("base64"),
  read: (line) => Buffer.from(line, "base64"),
};

/**
 * Rows that are read one by one, at the speed of their client. The read lock of the statement blocks commits until the
 * last row is read. `detach` reads the rest into a temporary file, which ends the lock.
 */
export class DetachableStream<Item> {
  #last: Promise<unknown> = Promise.resolve();
  #buffer: TempFileBuffer<Item> | null = null;
  /** The error because of which the buffer lacks rows. */
  #failure: unknown = null;
  #ended = false;

  constructor(
    private readonly rows: AsyncGenerator<Item>,
    private readonly lines: LineFormat<Item>,
  ) {}

  /** The next item; undefined after the last one. */
  next(): Promise<Item | undefined> {
    return this.#serial(async () => {
      if (this.#failure !== null) throw this.#failure;
      if (this.#buffer !== null) return this.#buffer.take();
      const step = await this.rows.next();
      this.#ended ||= step.done === true;
      return step.done === true ? undefined : step.value;
    });
  }

  /** Resolves when the read lock has ended. If reading fails, `next` rejects. */
  detach(): Promise<void> {
    return this.#serial(async () => {
      if (this.#ended || this.#buffer !== null) return;
      const buffer = await TempFileBuffer.open(this.lines);
      this.#buffer = buffer;
      try {
        for await (const item of this.rows) await buffer.put(item);
      } catch (error) {
        this.#failure = error;
      }
    });
  }

  /** Ends the read, also before its last row. */
  async close(): Promise<void> {
    await this.#serial(async () => {
      this.#ended = true;
      await this.rows.return(undefined);
      await this.#buffer?.close();
    });
  }

  #serial<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#last.then(operation);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Items in a temporary file, which are read once in the order in which they were written. */
class TempFileBuffer<Item> {
  #unread: AsyncGenerator<string> | null = null;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    private readonly lines: LineFormat<Item>,
  ) {}

  static async open<Item>(lines: LineFormat<Item>): Promise<TempFileBuffer<Item>> {
    const random = randomBytes(12).toString("hex");
    const path = join(tmpdir(), `rowhouse-rows-${hostname()}-${process.pid}-${random}`);
    const buffer = new TempFileBuffer(await open(path, "wx+", 0o600), path, lines);
    await buffer.#unlink();
    return buffer;
  }

  async put(item: Item): Promise<void> {
    // `write` may write a part only, for example if the disk is full.
    await this.file.appendFile(`${this.lines.write(item)}\n`);
  }

  /** The next item; undefined after the last one. */
  async take(): Promise<Item | undefined> {
    this.#unread ??= linesOf(this.file.createReadStream({ start: 0, autoClose: false, encoding: "utf8" }));
    const line = await this.#unread.next();
    return line.done === true ? undefined : this.lines.read(line.value);
  }

  async close(): Promise<void> {
    await this.#unread?.return(undefined);
    await this.file.close();
    await this.#unlink();
  }

  /**
   * Deletes the file. It remains usable while it is open, and the operating system frees it when the process ends for any
   * reason. On file systems that cannot delete open files, the call after closing deletes it.
   */
  async #unlink(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => undefined);
  }
}
