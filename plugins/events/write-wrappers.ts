import { RowhouseError, type Rowhouse, type Transaction } from "rowhouse/plugin-api";
import { PluginError } from "rowhouse/plugin-api/errors";
import type { AroundWrite, WriteFacts, WriteWrapper } from "rowhouse/plugin-api/contracts";

/** The combined wrappers for one write; the last one registered is outermost. Null if there are none. */
export async function around(rowhouse: Rowhouse, facts: WriteFacts): Promise<AroundWrite | null> {
  const wrappers = await rowhouse.hooks.write_wrapper.promise([], rowhouse, facts);
  if (wrappers.length === 0) return null;
  const limited = wrappers.map((wrapper) => withTimeLimit(rowhouse, wrapper));
  return <T>(write: () => Promise<T>, transaction: Transaction) =>
    limited.reduce<() => Promise<T>>((inner, wrapper) => () => wrapper(inner, transaction), write)();
}

/**
 * Limits the time of a wrapper, without the time of the write. A wrapper runs inside the transaction on the only writing
 * connection, so one that never ends would block all writes. At the limit the write fails.
 */
function withTimeLimit(rowhouse: Rowhouse, wrapper: WriteWrapper): AroundWrite {
  const author = rowhouse.pluginOf(wrapper);
  const limitMs = author === null ? 0 : Number(rowhouse.settings.get("hook_time_limit_ms")?.value ?? 0);
  return async <T>(write: () => Promise<T>, transaction: Transaction): Promise<T> => {
    const clock = new Clock(limitMs);
    const guarded = new GuardedWrite(() => clock.pausedFor(write));
    try {
      await Promise.race([wrapper(() => guarded.run(), transaction), clock.ranOut]);
      return await guarded.result();
    } catch (error) {
      if (author === null || error instanceof RowhouseError) throw error;
      throw new PluginError(author, "write_wrapper", error);
    } finally {
      clock.stop();
    }
  };
}

/** The write as a wrapper receives it. It runs once; its result is independent of the result of the wrapper. */
class GuardedWrite<T> {
  #result: Promise<T> | null = null;

  constructor(private readonly write: () => Promise<T>) {}

  async run(): Promise<T> {
    if (this.#result !== null) throw new Error("it ran the write twice");
    this.#result = this.write();
    // Wrappers need not wait for the result: `result` does.
    this.#result.catch(() => undefined);
    return this.#result;
  }

  /** @throws Error if the write was not run, or the error of the write, also if the wrapper caught it */
  async result(): Promise<T> {
    if (this.#result === null) throw new Error("it neither ran the write nor refused it");
    return this.#result;
  }
}

/** Measures the time of a wrapper without the time of the write. */
class Clock {
  readonly ranOut: Promise<never>;
  readonly #limitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #reject: (error: Error) => void = () => {};
  #isOver = false;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.ranOut = new Promise((_, reject) => (this.#reject = reject));
    this.#start();
  }

  async pausedFor<T>(write: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error("it writes after its time ran out");
    clearTimeout(this.#timer);
    try {
      return await write();
    } finally {
      if (!this.#isOver) this.#start();
    }
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    if (this.#limitMs === 0) return;
    const late = (): void => this.#reject(new Error(`no answer within ${this.#limitMs} ms`));
    this.#timer = setTimeout(late, this.#limitMs);
  }
}
