import { readdirSync } from "node:fs";
import { join } from "node:path";
import { NotFound, reply, type Actor, type Reply, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { errorIdOf } from "rowhouse/plugin-api/errors";
import { tildeDecode } from "rowhouse/plugin-api/http";
import type { Site } from "./site.js";

interface Missed {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly error: Error;
}

/**
 * The page of the folder `pages/` of the template folder for a path that was not found; null if there is none.
 */
export async function customPage(rowhouse: Rowhouse, site: Site, missed: Missed): Promise<Reply | null> {
  const folder = rowhouse.option("templateDir");
  const { request, error } = missed;
  if (folder === undefined || !(error instanceof NotFound)) return null;
  // Paths that will be redirected to the correct path have no custom page.
  if (request.path.includes("%") || request.path.endsWith("/")) return null;
  const found = findPage(folder, request.path.slice(1).split("/").map(tildeDecode));
  if (found === null) return null;
  try {
    return await show(site, found, missed);
  } catch (cause) {
    return failed(rowhouse, missed, cause);
  }
}

/** The error page: the 404 of the path would say that there is no page. */
async function failed(rowhouse: Rowhouse, { request, actor }: Missed, cause: unknown): Promise<Reply | null> {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  rowhouse.log.error(`${request.method} ${request.path} (error id ${errorIdOf(error)})`, error, {
    request_id: request.id,
  });
  return rowhouse.hooks.handle_exception.promise(null, rowhouse, { request, actor, error });
}

async function show(site: Site, { template, variables }: FoundPage, missed: Missed): Promise<Reply> {
  const { request, actor } = missed;
  const outcome = new Outcome();
  const options = { request, actor, viewName: "page", trail: {} };
  try {
    const page = await site.render(template, { ...variables, ...outcome.functions() }, options);
    return outcome.applyTo(page);
  } catch (cause) {
    const notFound = notFoundIn(cause);
    if (notFound === null) throw cause;
    const context = { ok: false, error: notFound.message, status: 404, title: null };
    return site.render(["404.html", "error.html"], context, { ...options, status: 404, viewName: "error" });
  }
}

/** Errors in templates are wrapped once for each layout. */
function notFoundIn(error: unknown): NotFound | null {
  if (error instanceof NotFound) return error;
  return error instanceof Error && error.cause !== undefined ? notFoundIn(error.cause) : null;
}

interface FoundPage {
  readonly template: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The file for these segments: exact names first, then `{variable}` names. */
function findPage(templateFolder: string, segments: readonly string[]): FoundPage | null {
  if (segments.some((segment) => segment === "" || segment.startsWith(".") || /[/\\\0]/.test(segment)))
    return null;
  return findBelow(templateFolder, { template: "pages", variables: {} }, segments);
}

function findBelow(root: string, folder: FoundPage, segments: readonly string[]): FoundPage | null {
  const [segment, ...rest] = segments;
  if (segment === undefined) return folder;
  const ending = rest.length === 0 ? ".html" : "";
  for (const name of matchingNames(join(root, folder.template), segment, ending)) {
    const variable = variableOf(name, ending);
    const variables = variable === null ? {} : { [variable]: segment };
    const here = {
      template: `${folder.template}/${name}`,
      variables: { ...folder.variables, ...variables },
    };
    const found = findBelow(root, here, rest);
    if (found !== null) return found;
  }
  return null;
}

function matchingNames(folder: string, segment: string, ending: string): string[] {
  const names = namesIn(folder);
  const exact = names.filter((name) => name === `${segment}${ending}`);
  return [...exact, ...names.filter((name) => variableOf(name, ending) !== null)];
}

/** `slug` of `{slug}.html`; null for other names. */
function variableOf(name: string, ending: string): string | null {
  const isVariable = name.startsWith("{") && name.endsWith(`}${ending}`);
  return isVariable ? name.slice(1, name.length - ending.length - 1) : null;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The reply that the functions of a custom page requested. */
class Outcome {
  #status = 200;
  readonly #headers: Record<string, string> = {};

  /** Each returns `""`, because templates print the result of calls. */
  functions() {
    return {
      custom_status: (code: number): string => {
        this.#status = code;
        return "";
      },
      custom_header: (name: string, value: string): string => {
        this.#headers[name.toLowerCase()] = value;
        return "";
      },
      custom_redirect: (location: string, code = 302): string => {
        this.#status = code;
        this.#headers["location"] = location;
        return "";
      },
      raise_404: (message = "404"): never => {
        throw new NotFound(message);
      },
    };
  }

  applyTo(page: Reply): Reply {
    const body = "location" in this.#headers ? "" : page.body;
    return { ...reply.withHeaders(page, this.#headers), status: this.#status, body };
  }
}
