import { PluginError, RowhouseError } from "rowhouse/plugin-api";
import type { AroundWrite, Rowhouse, Transaction, WriteFacts, WriteWrapper } from "rowhouse/plugin-api";

/** The code of plugins around one write, as one; the last registered is outermost. Null where there is none. */
export async function around(rowhouse: Rowhouse, facts: WriteFacts): Promise<AroundWrite | null> {
  const wrappers = await rowhouse.hooks.write_wrapper.promise([], rowhouse, facts);
  if (wrappers.length === 0) return null;
  const held = wrappers.map((wrapper) => hold(rowhouse, wrapper));
  return <T>(write: () => Promise<T>, transaction: Transaction) =>
    held.reduce<() => Promise<T>>((inner, wrapper) => () => wrapper(inner, transaction), write)();
}

/**
 * A wrapper runs inside the transaction, on the one connection that writes: one that never ends would end all
 * writing. So it fails, and the write with it, when it takes too long beside the write itself.
 */
function hold(rowhouse: Rowhouse, wrapper: WriteWrapper): AroundWrite {
  const author = rowhouse.pluginOf(wrapper);
  const limitMs = author === null ? 0 : rowhouse.setting("hook_time_limit_ms");
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

/** A write as a wrapper gets it: it runs once, and what came of it does not depend on what the wrapper returns. */
class GuardedWrite<T> {
  #result: Promise<T> | null = null;

  constructor(private readonly write: () => Promise<T>) {}

  async run(): Promise<T> {
    if (this.#result !== null) throw new Error("it ran the write twice");
    this.#result = this.write();
    // A wrapper that does not wait for it leaves that to us.
    this.#result.catch(() => undefined);
    return this.#result;
  }

  /** @throws Error when the write was never run, and whatever it failed with, also when the wrapper did not mind */
  async result(): Promise<T> {
    if (this.#result === null) throw new Error("it neither ran the write nor refused it");
    return this.#result;
  }
}

/** Counts the time of a wrapper, but not that of the write inside it. */
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
