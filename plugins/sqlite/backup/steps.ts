import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import type { CopyOptions } from "rowhouse/plugin-api/engine";
import { ALL_PAGES, type BackupRun, type BackupSteps } from "../open/connection.js";
import type { DatabasePlan } from "../open/open-connection.js";

/** Bytes that one step copies. SQLite holds a read lock during a step, so a step should be short. */
const STEP_BYTES = 1_048_576;
/** After so many steps without progress, everything is copied in one step, for which writers wait. */
const MAX_STALLS = 3;
const RETRY_MS = 20;
/** A copy may wait longer for a lock than a request. */
const LEAST_LOCK_WAIT_MS = 30_000;

interface PaceOptions extends CopyOptions {
  readonly pageSize: number;
  readonly lockWaitMs: number;
}

/** How long a copy waits for locks of other programs. */
export const lockWait = ({ rowhouse }: DatabasePlan): number =>
  Math.max(LEAST_LOCK_WAIT_MS, rowhouse.setting("lock_wait_ms"));

/** Copies a megabyte at a time, at most at the wanted speed. */
export const pacedSteps =
  ({ maxBytesPerSecond = Infinity, signal, pageSize, lockWaitMs }: PaceOptions): BackupSteps =>
  async (backup) => {
    const pages = Math.max(1, Math.floor(STEP_BYTES / pageSize));
    const pauseMs = ((pages * pageSize) / maxBytesPerSecond) * 1000;
    const progress = new Progress(backup, lockWaitMs);
    for (let stalls = 0; ;) {
      signal?.throwIfAborted();
      await backup.step(stalls < MAX_STALLS ? pages : ALL_PAGES);
      const outcome = progress.look();
      if (outcome === "complete") return;
      if (outcome === "stalled") stalls += 1;
      await sleep(outcome === "stalled" ? RETRY_MS : pauseMs, undefined, { signal });
    }
  };

/** Copies everything in one step, as soon as there is no lock. */
export const stepsUnderLock =
  ({ lockWaitMs }: Pick<PaceOptions, "lockWaitMs">): BackupSteps =>
  async (backup) => {
    const progress = new Progress(backup, lockWaitMs);
    for (;;) {
      await backup.step(ALL_PAGES);
      if (progress.look() === "complete") return;
      await sleep(RETRY_MS);
    }
  };

/** What the last step has done. */
class Progress {
  #remaining = Infinity;
  #movedMs = performance.now();

  constructor(
    private readonly backup: BackupRun,
    private readonly lockWaitMs: number,
  ) {}

  /**
   * `stalled`: another connection holds a lock, or has written, after which SQLite copies all pages again.
   *
   * @throws DatabaseUnavailable if no step has copied anything for the time limit
   */
  look(): "complete" | "copied" | "stalled" {
    const { remaining, isComplete } = this.backup.state();
    if (isComplete) return "complete";
    const before = this.#remaining;
    this.#remaining = remaining;
    const now = performance.now();
    if (remaining >= before && now - this.#movedMs > this.lockWaitMs)
      throw new DatabaseUnavailable("Another program keeps the database locked.");
    if (remaining >= before) return "stalled";
    this.#movedMs = now;
    return "copied";
  }
}
