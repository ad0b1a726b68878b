import type {
  Html,
  PageFacts,
  Pages,
  RenderOptions,
  Reply,
  Rowhouse,
  TemplateEnvironment,
} from "rowhouse/plugin-api";
import { escapeHtml, raw, reply } from "rowhouse/plugin-api";
import { contextDump } from "./context-dump.js";
import type { CrumbTrail } from "./crumbs.js";
import { frameOf } from "./frame.js";
import { securityHeaders } from "./security-headers.js";
import { Templates } from "./templates.js";

/** What our own pages say beyond what other plugins may. */
export interface SiteOptions extends RenderOptions {
  readonly trail?: CrumbTrail;
}

/** Renders pages of one running instance inside the common frame. */
export class Site implements Pages {
  readonly assets = new URL("static/", import.meta.url);
  readonly #rowhouse: Rowhouse;
  #templates: Templates | null = null;
  #globals: Promise<Globals> | null = null;

  constructor(rowhouse: Rowhouse) {
    this.#rowhouse = rowhouse;
  }

  get templates(): Templates {
    this.#templates ??= new Templates({
      own: this.#rowhouse.option("templateDir") ?? null,
      plugins: this.#rowhouse.plugins.flatMap(({ plugin }) => plugin.templates ?? []),
      bundled: new URL("templates/", import.meta.url),
      fresh: this.#rowhouse.option("reload") ?? false,
    });
    return this.#templates;
  }

  async render(
    templates: string | readonly string[],
    context: Readonly<Record<string, unknown>>,
    options: SiteOptions,
  ): Promise<Reply> {
    const considered = [templates].flat();
    const template = this.templates.choose(considered);
    if (template === null) throw new Error(`Template not found: ${considered.join(", ")}`);
    const facts = factsOf(template, options);
    const trail = options.trail ?? trailOf(options, context);
    const frame = await frameOf(this.#rowhouse, facts, trail);
    const vars = await this.#rowhouse.hooks.extra_template_vars.promise([], this.#rowhouse, facts);
    const page = Object.assign(
      {},
      await this.#environment(),
      frame,
      ...vars,
      { status: options.status ?? 200 },
      context,
      {
        templates_considered: consideredComment(considered, template),
        first_of: (names: readonly string[]) => this.templates.choose(names),
      },
    );
    const sources = await this.#rowhouse.hooks.csp_sources.promise([], this.#rowhouse, facts);
    const headers = { ...securityHeaders(frame.assets, sources), ...options.headers };
    if (this.#wantsContext(options)) return reply.html(contextDump(page), 200, headers);
    return reply.html(this.templates.render(template, page), options.status ?? 200, headers);
  }

  /** Asked for once: what plugins put beside the values of every page. */
  #environment(): Promise<Globals> {
    return (this.#globals ??= templateGlobals(this.#rowhouse));
  }

  #wantsContext({ request }: RenderOptions): boolean {
    return this.#rowhouse.setting("template_debug") && Boolean(request.query.get("_context"));
  }
}

type Globals = Readonly<Record<string, unknown>>;

async function templateGlobals(rowhouse: Rowhouse): Promise<Globals> {
  const globals: Record<string, unknown> = {};
  const filters: Record<string, unknown> = {};
  const environment: TemplateEnvironment = {
    addGlobal: (name, value) => void (globals[name] = value),
    addFilter: (name, filter) => void (filters[name] = filter),
  };
  await rowhouse.hooks.prepare_template_environment.promise(rowhouse, { environment });
  return { ...globals, filters };
}

function factsOf(template: string, options: RenderOptions): PageFacts {
  return {
    template,
    viewName: options.viewName ?? template.replace(/^default:|\.html$/g, ""),
    database: options.database ?? null,
    table: options.table ?? null,
    columns: options.columns ?? null,
    request: options.request,
    actor: options.actor,
  };
}

/** Error pages have no way up, except that those who were refused may go home. */
function trailOf(
  { viewName, database, table }: SiteOptions,
  context: Readonly<Record<string, unknown>>,
): CrumbTrail {
  if (viewName === "error") return { home: context["title"] === "Forbidden" };
  return { database, table };
}

function consideredComment(considered: readonly string[], used: string): Html {
  const names = considered.map((name) => (name === used ? `*${name}` : name)).join(", ");
  // Escaped, and without the two hyphens that would end a comment.
  return raw(`<!-- Templates considered: ${escapeHtml(names).replace(/-(?=-)/g, "-\u200b")} -->`);
}
