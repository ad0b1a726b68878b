import { PluginError, RowhouseError } from "rowhouse/plugin-api";
import type { Rowhouse, WriteFacts, WriteWrapper } from "rowhouse/plugin-api";

/** The code of plugins around one write, as one; the last registered is outermost. */
export async function around(rowhouse: Rowhouse, facts: WriteFacts): Promise<WriteWrapper> {
  const wrappers = await rowhouse.hooks.write_wrapper.promise([], rowhouse, facts);
  const held = wrappers.map((wrapper) => hold(rowhouse, wrapper));
  return <T>(write: () => Promise<T>) =>
    held.reduce<() => Promise<T>>((inner, wrapper) => () => wrapper(inner), write)();
}

/**
 * A wrapper runs inside the transaction, on the one connection that writes: one that never ends would end all
 * writing. So it fails, and the write with it, when it takes too long beside the write itself.
 */
function hold(rowhouse: Rowhouse, wrapper: WriteWrapper): WriteWrapper {
  const author = rowhouse.authorOf(wrapper);
  if (author === null) return wrapper;
  const limitMs = rowhouse.setting("hook_time_limit_ms");
  return async <T>(write: () => Promise<T>): Promise<T> => {
    const clock = new Clock(limitMs);
    const timed = (): Promise<T> => clock.pausedFor(write);
    try {
      return await Promise.race([wrapper(timed), clock.ranOut]);
    } catch (error) {
      throw error instanceof RowhouseError ? error : new PluginError(author, "write_wrapper", error);
    } finally {
      clock.stop();
    }
  };
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
