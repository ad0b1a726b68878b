import { closeBody, isReply, PluginError, RowhouseError } from "rowhouse/plugin-api";
import type { Page, Renderer, Route, Visit } from "rowhouse/plugin-api";
import { inTime, TookTooLong } from "./time-limit.js";

const authors = new WeakMap<object, string>();

/** Which plugin, not a bundled one, gave this object or function as an answer. */
export const pluginOf = (contribution: object): string | null => authors.get(contribution) ?? null;

/** Remembers whose part this is; a view or a renderer is returned so that its failures carry the author's name. */
export function attribute(part: unknown, author: string, hook: string): unknown {
  if (!isContribution(part)) return part;
  const held = HELD[hook]?.(part, author) ?? part;
  authors.set(held, author);
  return held;
}

const isContribution = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** By hook, what stands in for a part that the kernel calls later. */
const HELD: Readonly<Record<string, (part: object, author: string) => object>> = {
  register_routes: (part, author) => {
    const route = part as Route;
    const view = async (visit: Visit): Promise<unknown> =>
      inNameOf({ author, what: `the view ${route.name}`, visit }, async () => {
        const made = await route.view(visit as never);
        if (isReply(made) || typeof made?.data === "object") return made;
        throw new TypeError("it answered neither a page nor a reply");
      });
    return standIn(route, { view });
  },
  register_output_renderer: (part, author) => {
    const renderer = part as Renderer;
    const render: Renderer["render"] = (page, visit) =>
      inNameOf({ author, what: `the renderer ${renderer.extension}`, visit }, async () => {
        const made = await renderer.render(page, visit);
        if (isReply(made)) return made;
        throw new TypeError("it answered no reply");
      });
    return standIn(renderer, { render });
  },
};

/** The part with some of its members replaced, whatever else it is and inherits. */
const standIn = (part: object, members: object): object =>
  Object.assign(Object.create(part) as object, members);

interface Work {
  readonly author: string;
  readonly what: string;
  readonly visit: Visit;
}

/** @throws PluginError where the part fails, or takes too long, and does not say itself, by a typed error, what it means */
async function inNameOf<T>({ author, what, visit }: Work, work: () => Promise<T>): Promise<T> {
  // Whoever sends something may take long to send it, and what is done with it too.
  const limitMs = visit.request.method === "GET" ? visit.rowhouse.setting("view_time_limit_ms") : 0;
  const working = work();
  try {
    return (await inTime(working, limitMs)) as T;
  } catch (error) {
    if (error instanceof TookTooLong) working.then(closeLateReply).catch(() => undefined);
    throw error instanceof RowhouseError ? error : new PluginError(author, what, error);
  }
}

/** Another reply was sent in the place of this reply or page. */
function closeLateReply(made: unknown): void {
  if (isReply(made)) return closeBody(made.body);
  const { stream } = made as Partial<Page>;
  if (stream !== undefined) closeBody(stream.batches);
}
