import { RowhouseError, StartupError, type Rowhouse } from "rowhouse/plugin-api";
import { isPlainObject } from "rowhouse/plugin-api/engine";
import { PluginError } from "rowhouse/plugin-api/errors";
import { closeBody, isReply } from "rowhouse/plugin-api/http";
import { validationError, type HookRun, type HookTap } from "rowhouse/plugin-api/kernel";
import { attribute } from "./attribution.js";
import { namedFailure } from "./failure.js";
import { asPromise, inTime, REST_MS, TookTooLong } from "./time-limit.js";

/** The time limit is longer at start. */
const START_FACTOR = 12;

/** Wraps a hook function so that it keeps the time limit and the policy of the hook, and errors name its plugin. */
export function guard(run: HookRun, tap: HookTap): HookRun {
  const failed = tap.failing === "skip" ? skipping(tap) : refusing(tap);
  let restsUntil = 0;
  const fail = (rowhouse: Rowhouse, error: unknown): unknown => {
    if (error instanceof TookTooLong && tap.failing === "skip") restsUntil = performance.now() + REST_MS;
    return failed(rowhouse, error);
  };
  return (rowhouse, args) => {
    if (restsUntil > 0 && performance.now() < restsUntil) return undefined;
    try {
      const answer = run(rowhouse, args);
      const accepted = tap.unguarded ? answer : enforce(rowhouse, called(answer, tap), tap);
      return accepted instanceof Promise
        ? accepted.catch((error: unknown) => fail(rowhouse, error))
        : accepted;
    } catch (error) {
      return fail(rowhouse, error);
    }
  };
}

/**
 * Calls a result that is a function, unless the hook expects one: it returns the actual result. Hooks whose results are
 * ignored may return a function with parameters by chance, such as the Express application, which is not called.
 */
function called(answer: unknown, { kind, expects }: HookTap): unknown {
  if (typeof answer !== "function" || expects?.is(answer) === true) return answer;
  return kind === "notify" && answer.length > 0 ? answer : (answer as () => unknown)();
}

/** Applies the time limit and checks the result. Opinions in a list may be promises. */
function enforce(rowhouse: Rowhouse, answer: unknown, tap: HookTap): unknown {
  if (tap.kind === "poll" && Array.isArray(answer)) {
    const opinions: readonly unknown[] = answer.map((one) => limited(rowhouse, one, tap));
    handleRejections(opinions, () => undefined);
    return opinions;
  }
  const given = limited(rowhouse, answer, tap);
  return given instanceof Promise
    ? given.then((late: unknown) => accept(rowhouse, late, tap))
    : accept(rowhouse, given, tap);
}

function limited(rowhouse: Rowhouse, answer: unknown, { atStart }: HookTap): unknown {
  const limitMs = rowhouse.setting("hook_time_limit_ms");
  return inTime(asPromise(answer), atStart ? limitMs * START_FACTOR : limitMs);
}

/** The checked result, attributed to the plugin. */
function accept(rowhouse: Rowhouse, answer: unknown, tap: HookTap): unknown {
  if (answer === undefined || answer === null || (tap.ignoreFalsy && !answer)) return undefined;
  handleRejections(answer, (error) => rowhouse.log.error(messageFor(tap, error), error));
  if (tap.kind === "notify" || tap.kind === "poll") return answer;
  if (tap.kind === "collect" && Array.isArray(answer))
    return answer.map((part) => fitting(rowhouse, part, tap));
  return fitting(rowhouse, answer, tap);
}

function fitting(rowhouse: Rowhouse, result: unknown, tap: HookTap): unknown {
  const { expects, plugin, hook } = tap;
  // Getters run here, where a failure is one of the plugin. What is registered at start keeps its identity.
  const part =
    tap.kind === "collect" && tap.atStart !== true && isPlainObject(result) ? { ...result } : result;
  const mistake = expects === undefined ? null : validationError(part, expects);
  if (mistake !== null) {
    if (isReply(part)) closeBody(part.body);
    throw new TypeError(mistake);
  }
  return attribute(rowhouse, part, { plugin: plugin, hook });
}

const messageFor = ({ plugin, hook }: HookTap, error: unknown): string =>
  new PluginError(plugin, hook, error).message;

type Failed = (rowhouse: Rowhouse, error: unknown) => unknown;

const refusing =
  ({ plugin, hook, unguarded, atStart }: HookTap): Failed =>
  (rowhouse, error) => {
    if (error instanceof StartupError || (unguarded && error instanceof RowhouseError)) throw error;
    // No client gets an error of the start: the operator has to know the plugin.
    throw atStart
      ? new PluginError(plugin, hook, error)
      : namedFailure({ rowhouse, plugin, what: hook }, error);
  };

/** Logs a failure, repeated ones once a minute, since some hooks are called for each cell. */
function skipping(tap: HookTap): Failed {
  let last = { message: "", at: -Infinity };
  return (rowhouse, error) => {
    const message = messageFor(tap, error);
    const now = performance.now();
    if (message !== last.message || now - last.at > REST_MS) {
      last = { message, at: now };
      rowhouse.log.error(message, error);
    }
    return undefined;
  };
}

/**
 * Handles the rejections of promises in a list or object, and in the objects of these. No code awaits promises there, and
 * unhandled rejections end the process of a program that does not listen for them.
 */
function handleRejections(answer: unknown, report: (error: unknown) => void): void {
  for (const part of membersOf(answer)) {
    for (const member of [part, ...membersOf(part)]) if (member instanceof Promise) member.catch(report);
  }
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) ? Object.values(value) : [];
}
