import { DatabaseUnavailable, QueryInterrupted } from "rowhouse/plugin-api/errors";
import type { CancelSignal } from "./time-limit.js";

/** A caller that waits for a connection or a process of a pool. */
export interface WaitingCaller<Item> {
  readonly take: (item: Item | Promise<Item>) => void;
  readonly refuse: (error: Error) => void;
}

/** How long a caller waits. */
interface Wait {
  readonly limitMs: number;
  readonly signal: CancelSignal | undefined;
}

/**
 * Waits until a pool gives the caller what it waits for, or refuses it.
 *
 * @param enter adds the caller to those that wait, and returns a function that removes it if it is still among them
 * @throws DatabaseUnavailable after the time limit, QueryInterrupted if the signal aborts
 */
export const waitFor = <Item>(
  { limitMs, signal }: Wait,
  enter: (caller: WaitingCaller<Item>) => () => void,
): Promise<Item> =>
  new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const refuse = (error: Error): void => {
      settle();
      leave();
      reject(error);
    };
    const abort = (): void => refuse(new QueryInterrupted("The caller went away."));
    const timer = setTimeout(() => refuse(tooManyQueries()), limitMs);
    signal?.addEventListener("abort", abort, { once: true });
    const leave = enter({ take: (item) => (settle(), resolve(item)), refuse });
  });

export const tooManyQueries = (): DatabaseUnavailable =>
  new DatabaseUnavailable("Too many queries are waiting for this database.");
