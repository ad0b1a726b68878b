import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf, type EncodedRows } from "rowhouse/plugin-api/engine";

/** Consecutive rows with the same columns, and their positions in the body. */
export interface StagedRun extends EncodedRows {
  /** The index of the first row, counted from 0. */
  readonly first: number;
  /** The line of each row. */
  readonly lines: readonly (number | null)[];
  /** The columns with numbers for which `isMisread` is true. */
  readonly misread: readonly string[];
}

/** A temporary file of validated rows, to be written in one transaction. */
export class StagedRows {
  private constructor(
    private readonly folder: string,
    private readonly file: FileHandle,
  ) {}

  static async open(): Promise<StagedRows> {
    const folder = await mkdtemp(join(tmpdir(), `rowhouse-spool-${hostname()}-${process.pid}-`));
    const staged = new StagedRows(folder, await open(join(folder, "rows"), "wx+", 0o600));
    await staged.#unlink();
    return staged;
  }

  async add({ json, ...about }: StagedRun): Promise<void> {
    // Neither text contains a line break: JSON escapes them as \n.
    await this.file.appendFile(`${JSON.stringify(about)}\n${json}\n`);
  }

  async *rows(): AsyncIterable<StagedRun> {
    let about: Omit<StagedRun, "json"> | null = null;
    const text = this.file.createReadStream({ start: 0, autoClose: false, encoding: "utf8" });
    for await (const line of linesOf(text)) {
      if (about === null) {
        about = JSON.parse(line) as Omit<StagedRun, "json">;
        continue;
      }
      yield { ...about, json: line };
      about = null;
    }
  }

  async remove(): Promise<void> {
    await this.file.close();
    await this.#unlink();
  }

  /**
   * The open file needs no name. Without one the system frees it when the process ends, however it ends. Where an
   * open file can't be removed (some network file systems), it is removed after it was closed.
   */
  async #unlink(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
