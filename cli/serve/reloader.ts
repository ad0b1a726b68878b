import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, type Log } from "rowhouse/plugin-api";

/** The outcome of reloads so far. */
export interface ReloadReport {
  /** How many reloads have ended. */
  readonly reloads: number;
  /** Why the last one changed nothing; null if it succeeded. */
  readonly problem: string | null;
}

/** Runs reloads one after the other. */
export class Reloader {
  #reloads = 0;
  #isRunning = false;
  #isWanted = false;
  #isEnding = false;
  #notifyIdle: () => void = () => undefined;
  /** That of the last configuration: a reload can change the format of the log. */
  #log: Log;

  /**
   * @param reload returns the log of the new configuration
   * @param report receives the outcome when no further reload is wanted
   */
  constructor(
    private readonly reload: () => Promise<Log>,
    private readonly options: { readonly log: Log; readonly report: (outcome: ReloadReport) => void },
  ) {
    this.#log = options.log;
  }

  /** Reloads now; during a reload, once more after it. */
  request(): void {
    this.#isWanted = true;
    if (!this.#isRunning && !this.#isEnding) void this.#run();
  }

  /** Starts no further reload, and waits for the one that runs, but not longer than `limitMs`. */
  async end(limitMs: number): Promise<void> {
    this.#isEnding = true;
    if (!this.#isRunning) return;
    const idle = new Promise<void>((resolve) => (this.#notifyIdle = resolve));
    await Promise.race([idle, sleep(limitMs, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let problem: string | null = null;
    while (this.#isWanted && !this.#isEnding) {
      this.#isWanted = false;
      problem = await this.#once();
      this.#reloads += 1;
    }
    this.#isRunning = false;
    this.#report(problem);
    this.#notifyIdle();
  }

  /** Without the report, only the log has the outcome, such as on a full disk. */
  #report(problem: string | null): void {
    try {
      this.options.report({ reloads: this.#reloads, problem });
    } catch (error) {
      this.#log.error(`Could not report the reload to \`rowhouse reload\`: ${messageOf(error)}`);
    }
  }

  async #once(): Promise<string | null> {
    try {
      this.#log = await this.reload();
      this.#log.info("Reloaded: configuration, metadata, templates and plugins");
      return null;
    } catch (error) {
      const problem = messageOf(error);
      this.#log.error(`Nothing was reloaded, the server continues as before: ${problem}`);
      return problem;
    }
  }
}
