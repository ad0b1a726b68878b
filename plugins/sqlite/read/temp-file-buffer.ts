import { randomBytes } from "node:crypto";
import type { ReadStream } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Items put aside in a temporary file, to be read back once in the same order. */
export class TempFileBuffer<Item> {
  #input: ReadStream | null = null;
  #lines: AsyncIterator<string> | null = null;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
  ) {}

  static async open<Item>(): Promise<TempFileBuffer<Item>> {
    const random = randomBytes(12).toString("hex");
    const path = join(tmpdir(), `rowhouse-rows-${hostname()}-${process.pid}-${random}`);
    const spool = new TempFileBuffer<Item>(await open(path, "wx+", 0o600), path);
    await spool.#unlink();
    return spool;
  }

  async put(item: Item): Promise<void> {
    // JSON text holds no line breaks of its own.
    await this.file.write(`${JSON.stringify(item)}\n`);
  }

  /** The next item, or undefined behind the last one. */
  async take(): Promise<Item | undefined> {
    this.#lines ??= this.#read();
    const line = await this.#lines.next();
    return line.done === true ? undefined : (JSON.parse(line.value) as Item);
  }

  async close(): Promise<void> {
    await this.#lines?.return?.();
    this.#input?.destroy();
    await this.file.close();
    await this.#unlink();
  }

  /**
   * The open file needs no name. Without one the system frees it when the process ends, however it ends. Where an
   * open file can't be removed (some network file systems), it is removed after it was closed.
   */
  async #unlink(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => undefined);
  }

  #read(): AsyncIterator<string> {
    this.#input = this.file.createReadStream({ start: 0, autoClose: false, encoding: "utf8" });
    return createInterface({ input: this.#input, crlfDelay: Infinity })[Symbol.asyncIterator]();
  }
}
