import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Actor, Reply, ReplyHeaders, Request, Rowhouse } from "rowhouse/plugin-api";
import { NotFound, reply, tildeDecode } from "rowhouse/plugin-api";
import type { Site } from "./site.js";

interface Missed {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly error: Error;
}

/** A page of the template folder's `pages/` where nothing else was found; null where there is none either. */
export async function customPage(rowhouse: Rowhouse, site: Site, missed: Missed): Promise<Reply | null> {
  const folder = rowhouse.option("templateDir");
  const { request, actor, error } = missed;
  if (folder === undefined || !(error instanceof NotFound)) return null;
  // Paths that will be redirected to a better spelling are left to the redirect.
  if (request.path === "/" || request.path.includes("%") || request.path.endsWith("/")) return null;
  const found = findPage(folder, request.path.slice(1).split("/").map(tildeDecode));
  if (found === null) return null;
  const outcome = new Outcome();
  const functions = outcome.functions();
  const page = await site.render(
    found.template,
    { ...found.variables, ...functions },
    {
      request,
      actor,
      viewName: "page",
      trail: {},
    },
  );
  return outcome.applyTo(page);
}

interface FoundPage {
  readonly template: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The file for these segments: exact names first, `{variable}` names where there is no exact one. */
function findPage(templateFolder: string, segments: readonly string[]): FoundPage | null {
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) return null;
  return walk(templateFolder, "pages", segments, {});
}

function walk(
  root: string,
  folder: string,
  [segment, ...rest]: readonly string[],
  variables: FoundPage["variables"],
): FoundPage | null {
  const ending = rest.length === 0 ? ".html" : "";
  const names = namesIn(join(root, folder));
  for (const name of [`${segment}${ending}`, ...names.filter((entry) => isVariable(entry, ending))]) {
    if (!names.includes(name)) continue;
    const found = {
      template: `${folder}/${name}`,
      variables: withVariable(variables, name, ending, segment!),
    };
    if (rest.length === 0) return found;
    const deeper = walk(root, found.template, rest, found.variables);
    if (deeper !== null) return deeper;
  }
  return null;
}

const isVariable = (name: string, ending: string): boolean =>
  name.startsWith("{") && name.endsWith(`}${ending}`);

function withVariable(
  variables: FoundPage["variables"],
  name: string,
  ending: string,
  segment: string,
): FoundPage["variables"] {
  if (!isVariable(name, ending) || name === `${segment}${ending}`) return variables;
  return { ...variables, [name.slice(1, -1 - ending.length)]: segment };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What the functions of a custom page asked for. */
class Outcome {
  #status = 200;
  #redirected = false;
  #headers: Record<string, string> = {};

  functions() {
    return {
      custom_status: (code: number): string => this.#note(() => (this.#status = code)),
      custom_header: (name: string, value: string): string =>
        this.#note(() => (this.#headers[name.toLowerCase()] = value)),
      custom_redirect: (location: string, code = 302): string =>
        this.#note(() => {
          this.#status = code;
          this.#redirected = true;
          this.#headers["location"] = location;
        }),
      raise_404: (message = "404"): never => {
        throw new NotFound(message);
      },
    };
  }

  applyTo(page: Reply): Reply {
    const headers: ReplyHeaders = this.#headers;
    const body = this.#redirected ? "" : page.body;
    return { ...reply.withHeaders(page, headers), status: this.#status, body };
  }

  /** Template functions print nothing. */
  #note(change: () => void): string {
    change();
    return "";
  }
}
