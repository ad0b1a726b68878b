import { Html, raw, reply, type Reply, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { escapeHtml, fixedDecimals, languageRules, type Translator } from "rowhouse/plugin-api/html";
import { Labelled } from "rowhouse/plugin-api/http";
import type { PageFacts, Pages, RenderOptions, TemplateEnvironment } from "rowhouse/plugin-api/contracts";
import type { CrumbTrail } from "./crumbs.js";
import { frameOf } from "./frame.js";
import type { Languages } from "./language/languages.js";
import { scriptTextsUrl } from "./language/script-texts.js";
import { securityHeaders } from "./security-headers.js";
import { TemplateCalls } from "./template-calls.js";
import { Templates } from "./templates.js";

/** The policy of bundled pages beyond that of other plugins. */
export interface SiteOptions extends RenderOptions {
  readonly trail?: CrumbTrail;
}

/** Renders the pages of one server in the common frame. */
export class Site implements Pages {
  readonly assets = new URL("static/", import.meta.url);
  readonly #rowhouse: Rowhouse;
  #templates: Templates | null = null;
  #globals: Promise<Globals> | null = null;

  readonly #languages: Languages;

  constructor(rowhouse: Rowhouse, languages: Languages) {
    this.#rowhouse = rowhouse;
    this.#languages = languages;
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

  /**
   * The language of the content of a page. Pages whose texts are not in the catalogue are English, inside a frame in the
   * language of the reader.
   */
  languageOf(context: Readonly<Record<string, unknown>>, request: Request): Translator {
    return context["is_translated"] === true ? this.#languages.of(request) : this.#languages.english;
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
    const reader = this.#languages.of(options.request);
    const frame = await frameOf(this.#rowhouse, facts, trail, reader);
    const scriptTexts = this.#languages.scriptOf(reader.language);
    const pageLanguage = this.languageOf(context, options.request);
    const vars = await this.#rowhouse.hooks.extra_template_vars.promise([], this.#rowhouse, facts);
    const calls = new TemplateCalls();
    const page = Object.assign(
      {},
      await this.#environment(),
      frame,
      { status: options.status ?? 200 },
      context,
      ...vars.map((variables) => calls.withResults(variables)),
      {
        t: pageLanguage.t,
        frame_t: reader.t,
        language: reader.language,
        isFromRight: languageRules(reader.language).direction === "rtl",
        fixed_decimals: (value: number, decimals: number) => fixedDecimals(value, decimals, reader.language),
        script_texts: scriptTexts && scriptTextsUrl(this.#rowhouse, reader.language, scriptTexts),
        foreign: pageLanguage.language === reader.language ? null : pageLanguage.language,
        templates_considered: consideredComment(considered, template),
        first_of: (names: readonly string[]) => this.templates.choose(names),
      },
    );
    const sources = await this.#rowhouse.hooks.csp_sources.promise([], this.#rowhouse, facts);
    const headers = {
      ...securityHeaders(frame.assets, sources),
      ...(this.#languages.dependsOnRequest && { vary: "Accept-Language" }),
      ...options.headers,
    };
    if (this.#wantsContext(options)) return reply.html(contextDump(page), 200, headers);
    const markup = await calls.rendered(() => this.templates.render(template, page));
    return reply.html(markup, options.status ?? 200, headers);
  }

  /** Collected once: the values that plugins add to the context of every page. */
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

/** Error pages have no breadcrumbs, except a link to the start page after a refusal. */
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

/**
 * The context of a page for `?_context=1`: escaped JSON. Values without a JSON form are shown by their kind.
 */
function contextDump(context: Readonly<Record<string, unknown>>): string {
  const { request: _request, ...shown } = context;
  const text = JSON.stringify(shown, (_key, value: unknown) => dumped(value), 4);
  return `<pre>${escapeHtml(text)}</pre>`;
}

function dumped(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Html) return value.markup;
  if (value instanceof Labelled) return { value: value.value, label: value.label };
  // Objects of other classes, such as databases, may contain private data. Only their class is shown.
  return isPlain(value) ? value : `[${value.constructor.name}]`;
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
