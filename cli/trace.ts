import type { PluginInput } from "rowhouse";
import { definePlugin, type Hooks, type Log, type TakeAnswer } from "rowhouse/plugin-api";

/** `ROWHOUSE_TRACE=hooks`, or the older `ROWHOUSE_TRACE_PLUGINS=1`. */
export const isTracing = (): boolean =>
  process.env["ROWHOUSE_TRACE"] === "hooks" || Boolean(process.env["ROWHOUSE_TRACE_PLUGINS"]);

type AnyFunction = (...args: unknown[]) => unknown;
type Done = (error: unknown, answer?: unknown) => void;

interface Tap {
  readonly name: string;
  /** How the function answers: it returns, it calls its last argument, or it returns a promise. */
  readonly type: "sync" | "async" | "promise";
  readonly fn: AnyFunction;
}

interface Interceptable {
  intercept(interceptor: { register(tap: Tap): Tap }): void;
}

/** Logs each call of a hook function: whose it was, how long it took, whether it answered. */
export const hookTrace = (log: Log): PluginInput => ({
  bundled: true,
  plugin: definePlugin({ name: "hook-trace", apply: (rowhouse) => traceAll(rowhouse.hooks, log) }),
});

function traceAll(hooks: Hooks, log: Log): void {
  for (const [hook, tapable] of Object.entries(hooks as unknown as Record<string, Interceptable>)) {
    const register = (tap: Tap): Tap => ({
      ...tap,
      fn: TRACED[tap.type](tap.fn, watch(tap.name, hook, log)),
    });
    tapable.intercept({ register });
  }
}

/** Starts the clock of one call; what it returns reports how the call ended. */
type Watch = () => (outcome: "answered" | "no opinion" | "failed") => void;

const watch =
  (plugin: string, hook: string, log: Log): Watch =>
  () => {
    const started = performance.now();
    return (outcome) =>
      log.info(`${plugin} ${hook}: ${outcome} after ${(performance.now() - started).toFixed(1)} ms`);
  };

/** A hook that hands a value along gives back what it got where nobody changed it. */
const outcomeOf = (answer: unknown, given: unknown) =>
  answer === undefined || answer === null || answer === given ? "no opinion" : "answered";

const TRACED: Readonly<Record<Tap["type"], (fn: AnyFunction, start: Watch) => AnyFunction>> = {
  async:
    (fn, start) =>
    (...args) => {
      const report = start();
      const done = args.at(-1) as Done;
      return fn(...args.slice(0, -1), (error: unknown, answer?: unknown) => {
        report(error ? "failed" : outcomeOf(answer, args[0]));
        done(error, answer);
      });
    },
  promise:
    (fn, start) =>
    async (...args) => {
      const report = start();
      try {
        const answer = await fn(...args);
        report(outcomeOf(answer, args[0]));
        return answer;
      } catch (error) {
        report("failed");
        throw error;
      }
    },
  // Hooks that ask everybody at once: the answer, or the promise of one, goes into the first argument.
  sync:
    (fn, start) =>
    (...args) => {
      const report = start();
      const [given, ...rest] = args;
      if (typeof given !== "function") return fn(...args);
      const take: TakeAnswer<unknown> = (plugin, answer) => {
        if (answer instanceof Promise)
          answer.then((late: unknown) => report(outcomeOf(late, undefined))).catch(() => report("failed"));
        else report(outcomeOf(answer, undefined));
        (given as TakeAnswer<unknown>)(plugin, answer);
      };
      return fn(take, ...rest);
    },
};
