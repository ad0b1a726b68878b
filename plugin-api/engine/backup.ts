/** Copies of a whole database. */
export interface DatabaseBackup {
  /**
   * Copies the state of one moment to a new file and checks the copy. Every write that was committed before the call is
   * in the copy. Other connections read and write meanwhile.
   *
   * @throws DatabaseUnavailable if the database stays locked, or the copy is damaged
   */
  copyTo(path: string, options?: CopyOptions): Promise<void>;
  /**
   * Replaces the content by that of a copy, in one transaction, after checking the copy.
   *
   * @throws DatabaseUnavailable if the database stays locked, or the copy is damaged
   */
  restoreFrom(path: string): Promise<void>;
}

/** Options of `copyTo`. */
export interface CopyOptions {
  /** The speed of the copy, so that disks have time for requests. Default: no limit. */
  readonly maxBytesPerSecond?: number;
  readonly signal?: AbortSignal;
}
