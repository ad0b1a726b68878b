import type { PluginInput } from "rowhouse";
import { definePlugin, type Log } from "rowhouse/plugin-api";
import type { HookRun, HookTap } from "rowhouse/plugin-api/kernel";

/** `ROWHOUSE_TRACE=hooks` or `1`, or the older `ROWHOUSE_TRACE_PLUGINS=1`. */
export const isTracing = (): boolean =>
  ["hooks", "1"].includes(process.env["ROWHOUSE_TRACE"] ?? "") ||
  Boolean(process.env["ROWHOUSE_TRACE_PLUGINS"]);

/** Logs each call of a hook function: the plugin, the duration, and whether it returned a result. */
export const hookTrace = (log: Log): PluginInput => ({
  plugin: definePlugin({ name: "hook-trace", wrapHook: (run, tap) => traced(run, tap, log) }),
});

const traced =
  (run: HookRun, { plugin, hook }: HookTap, log: Log): HookRun =>
  (rowhouse, args) => {
    const started = performance.now();
    const report = (outcome: string): void =>
      log.info(`${plugin} ${hook}: ${outcome} after ${(performance.now() - started).toFixed(1)} ms`);
    const answered = (answer: unknown): void =>
      report(answer === undefined || answer === null ? "no opinion" : "answered");
    const failed = (): void => report("failed");
    try {
      const answer = run(rowhouse, args);
      const late = stillToCome(answer);
      if (late === null) answered(answer);
      else late.then(answered, failed);
      return answer;
    } catch (error) {
      failed();
      throw error;
    }
  };

/** The promise in a result, or of all opinions of a list; null if no part is a promise. */
function stillToCome(answer: unknown): Promise<unknown> | null {
  if (answer instanceof Promise) return answer;
  const isOpen = Array.isArray(answer) && answer.some((one) => one instanceof Promise);
  return isOpen ? Promise.all(answer as unknown[]) : null;
}
