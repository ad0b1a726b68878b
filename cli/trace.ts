import type { PluginInput } from "rowhouse";
import { definePlugin, type Hooks, type Log } from "rowhouse/plugin-api";

/** `ROWHOUSE_TRACE=hooks`, or the older `ROWHOUSE_TRACE_PLUGINS=1`. */
export const isTracing = (): boolean =>
  process.env["ROWHOUSE_TRACE"] === "hooks" || Boolean(process.env["ROWHOUSE_TRACE_PLUGINS"]);

interface Tap {
  readonly name: string;
  readonly type: "sync" | "async" | "promise";
  readonly fn: (...args: unknown[]) => unknown;
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
    tapable.intercept({ register: (tap) => ({ ...tap, fn: traced(tap, hook, log) }) });
  }
}

const traced =
  ({ name, type, fn }: Tap, hook: string, log: Log): Tap["fn"] =>
  (...args) => {
    const started = performance.now();
    const report = (failed: boolean, answer: unknown): void => {
      const outcome = failed
        ? "failed"
        : answer === undefined || answer === args[0]
          ? "no opinion"
          : "answered";
      log.info(`${name} ${hook}: ${outcome} after ${(performance.now() - started).toFixed(1)} ms`);
    };
    if (type === "async") {
      const done = args.at(-1) as (error: unknown, answer?: unknown) => void;
      return fn(...args.slice(0, -1), (error: unknown, answer?: unknown) => {
        report(Boolean(error), answer);
        done(error, answer);
      });
    }
    return reported(() => fn(...args), report);
  };

function reported(call: () => unknown, report: (failed: boolean, answer: unknown) => void): unknown {
  const answered = (answer: unknown): unknown => {
    report(false, answer);
    return answer;
  };
  const failed = (error: unknown): never => {
    report(true, undefined);
    throw error;
  };
  try {
    const answer = call();
    return answer instanceof Promise ? answer.then(answered, failed) : answered(answer);
  } catch (error) {
    return failed(error);
  }
}
