import { statSync } from "node:fs";
import { realpath, statfs } from "node:fs/promises";

/** `f_type` of file systems of this machine, by Linux (`linux/magic.h`). Others may show a change of a file late. */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58_46_53_42, // XFS
  0x91_23_68_3e, // btrfs
  0xf2_f5_20_10, // F2FS
  0x2f_c1_2f_c1, // ZFS
  0x01_02_19_94, // tmpfs
  0x79_4c_76_30, // overlay
]);

/** True if the system has the facts about the file in memory, as long as it is open. False if they can't be read. */
export const isOnLocalFileSystem = (path: string): Promise<boolean> =>
  statfs(path).then(
    ({ type }) => LOCAL_FILE_SYSTEMS.has(type),
    () => false,
  );

/** Longer than a second, which is how coarse the times of some file systems are. */
const SETTLED_MS = 1_500;

/** Times and sizes of the files of a database. */
export type FileState = readonly number[];

/**
 * Shows without SQLite that the files of a database have not changed. A commit writes to the file or to its write-ahead
 * log, and each write sets the time of change (`ctime`), which no program can choose.
 */
export class FileTimes {
  private constructor(private readonly paths: readonly string[]) {}

  /** Null on file systems whose times can't be relied on, and for databases in memory. */
  static async of(path: string | null): Promise<FileTimes | null> {
    if (path === null) return null;
    try {
      // SQLite creates the log beside the file, not beside a link to it.
      const real = await realpath(path);
      return (await isOnLocalFileSystem(real)) ? new FileTimes([real, `${real}-wal`]) : null;
    } catch {
      return null;
    }
  }

  /**
   * Takes some microseconds: the system has this in memory for files that are open. A turn of the thread pool takes ten
   * times as long.
   *
   * @returns null if a later change may not show: the last one is so recent that the next can have the same time
   */
  settled(): FileState | null {
    const state = this.#read();
    const latestMs = Math.max(...this.paths.map((_path, index) => state?.[2 * index] ?? Infinity));
    return Date.now() - latestMs > SETTLED_MS ? state : null;
  }

  /** True if nothing has changed since `settled` returned this state. */
  isStill(before: FileState): boolean {
    return this.#read()?.every((value, index) => value === before[index]) === true;
  }

  #read(): FileState | null {
    try {
      return this.paths.flatMap((path) => {
        const file = statSync(path, { throwIfNoEntry: false });
        return file === undefined ? [0, 0] : [file.ctimeMs, file.ino];
      });
    } catch {
      return null;
    }
  }
}
