import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Something to try with the plugin of an example, and what then shows. */
export interface Trial {
  /** `GET /library/books/1 as ann with {"a": 1}`, `rowhouse count-rows`; null: only start and stop. */
  readonly request: string | null;
  /** Text of the reply's body, `Status: 403`, `Header: name: value`, `Log: info: text`. */
  readonly shows: readonly string[];
}

/** The plugin that shows a hook at work: `docs/hooks/<hook>.ts`. */
export interface HookExample {
  /** What it does, in a sentence. */
  readonly purpose: string;
  readonly trials: readonly Trial[];
  readonly code: string;
}

/** @throws Error when the hook has no example */
export function readExample(root: string, hook: string): HookExample {
  const lines = readFileSync(join(root, `docs/hooks/${hook}.ts`), "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  const comment = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ""));
  const firstTrial = comment.findIndex((line) => TRIAL.test(line));
  return {
    purpose: comment.slice(0, firstTrial).join(" "),
    trials: trialsOf(comment.slice(firstTrial)),
    code: lines.slice(end).join("\n").trim(),
  };
}

const TRIAL = /^(?:Try|Status|Header|Log|Says): /;

function trialsOf(lines: readonly string[]): readonly Trial[] {
  const trials: { request: string | null; shows: string[] }[] = [];
  for (const line of lines) {
    const request = /^Try: (.*)$/.exec(line)?.[1];
    if (request !== undefined || trials.length === 0) trials.push({ request: request ?? null, shows: [] });
    if (request === undefined) trials.at(-1)?.shows.push(line);
  }
  return trials;
}
