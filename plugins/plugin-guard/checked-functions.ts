import { isObject, RowhouseError, type Renderer, type Route } from "rowhouse/plugin-api";
import { PluginError } from "rowhouse/plugin-api/errors";
import { isReply, isSendable, type RowForm } from "rowhouse/plugin-api/http";
import { synchronous } from "rowhouse/plugin-api/kernel";

type Run = (...args: readonly unknown[]) => unknown;

interface Rule {
  /** Completes the sentence "it should be ...". */
  readonly what: string;
  is(answer: unknown): boolean;
}

const isCheck = (pair: unknown): boolean =>
  Array.isArray(pair) &&
  typeof pair[0] === "string" &&
  (pair[1] === null || typeof pair[1] === "string" || Array.isArray(pair[1]));

const chain: Rule = {
  what: "a list of pairs of an action and a resource: null, the name of a database, or a list of two names",
  is: (answer) => Array.isArray(answer) && answer.every(isCheck),
};

const ROW_FORMS: readonly unknown[] = ["arrays", "objects", "cells", "none"] satisfies readonly RowForm[];

/** Functions of routes that must not be asynchronous. A promise instead of a condition would always be true. */
const OF_ROUTES: Readonly<Record<string, Rule>> = {
  when: { what: "true or false", is: () => true },
  permissions: chain,
  requires: chain,
  visibleWith: chain,
};

const OF_RENDERERS: Readonly<Record<string, Rule>> = {
  wants: {
    what: "an object with rows (arrays, objects, cells or none), infinity, parts (a Set), labels and stream",
    is: (answer) => isObject(answer) && ROW_FORMS.includes(answer["rows"]) && answer["parts"] instanceof Set,
  },
  redirect: {
    what: "a reply or null",
    is: (answer) => answer === null || answer === undefined || (isReply(answer) && isSendable(answer)),
  },
};

/**
 * The functions of a route that decide who gets it, with errors that name the plugin.
 *
 * @param seen gets each result
 */
export const checkedRoute = (route: Route, plugin: string, seen: (answer: unknown) => void): object =>
  checked(route, OF_ROUTES, { plugin, of: `the route ${route.name ?? String(route.path)}`, seen });

/** `wants` and `redirect` of a renderer, with errors that name the plugin. */
export const checkedRenderer = (renderer: Renderer, plugin: string): object =>
  checked(renderer, OF_RENDERERS, { plugin, of: renderer.extension });

interface Owner {
  readonly plugin: string;
  readonly of: string;
  seen?(answer: unknown): void;
}

function checked(part: object, rules: Readonly<Record<string, Rule>>, { plugin, of, seen }: Owner): object {
  const functions = Object.entries(rules).flatMap(([name, rule]) => {
    const run = (part as Readonly<Record<string, unknown>>)[name];
    if (typeof run !== "function") return [];
    return [[name, checkedRun({ run: run.bind(part) as Run, rule, plugin, what: `${name} of ${of}`, seen })]];
  });
  return Object.fromEntries(functions) as object;
}

function checkedRun({
  run,
  rule,
  plugin,
  what,
  seen,
}: {
  readonly run: Run;
  readonly rule: Rule;
  readonly plugin: string;
  readonly what: string;
  readonly seen: ((answer: unknown) => void) | undefined;
}): Run {
  return (...args) => {
    try {
      const answer = synchronous(run(...args), "it");
      if (!rule.is(answer)) throw new TypeError(`it should be ${rule.what}`);
      seen?.(answer);
      return answer;
    } catch (error) {
      throw error instanceof RowhouseError ? error : new PluginError(plugin, what, error);
    }
  };
}
