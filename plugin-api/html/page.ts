import { html, type Html } from "./markup.js";
import { translator, type Text, type TextCatalogue, type Translator } from "./texts.js";
import type { Actor } from "../access/permissions.js";
import { reply, type Reply, type ReplyHeaders, type Request } from "../http/request.js";
import type { Rowhouse } from "../kernel/rowhouse.js";

/** A page with content from the `html` tag. */
export interface PlainPage {
  /** A template of this name in `--template-dir` replaces the page. It gets `title`, `content` and `context`. */
  readonly template: string;
  readonly title: string;
  readonly content: Html;
  /** The data of the content, for templates with a layout of their own. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly headers?: ReplyHeaders;
  /** The database and table of the page, for its breadcrumbs. */
  readonly database?: string;
  readonly table?: string;
}

/** The request for a page. Every `Visit` is one. */
export interface PageVisitor {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
}

/**
 * Renders a page in the layout of the site, or as a plain HTML document if the plugin `pages` is switched off.
 *
 * @example
 * const page = await pageReply(visit, {
 *   template: "about.html",
 *   title: "About",
 *   content: html`<h1>About</h1>`,
 * });
 * page.status; // 200
 */
export async function pageReply({ rowhouse, request, actor }: PageVisitor, page: PlainPage): Promise<Reply> {
  const { template, title, content, context = {}, status = 200, headers = {}, ...place } = page;
  const pages = rowhouse.serviceIfAny("pages");
  if (pages === null) {
    return reply.html(bareDocument(title, content), status, { "x-frame-options": "DENY", ...headers });
  }
  const viewName = template.replace(/\.html$/, "");
  const shown = { ...context, title, content };
  return pages.render([template, "page.html"], shown, {
    request,
    actor,
    status,
    headers,
    viewName,
    ...place,
  });
}

/**
 * The hidden form field with the CSRF token; empty if the plugin `csrf` is switched off.
 *
 * @example
 * html`<form method="post">${csrfField(visit)}</form>`.markup.includes("csrftoken"); // true
 */
export function csrfField({ rowhouse, request }: Pick<PageVisitor, "rowhouse" | "request">): Html {
  const token = rowhouse.serviceIfAny("csrf")?.token(request);
  return token === undefined ? html`` : html`<input type="hidden" name="csrftoken" value="${token}" />`;
}

/** The texts of a plugin's pages. */
export interface PageTexts {
  /** For the hook `register_texts`. */
  readonly texts: readonly TextCatalogue[];
  /** The texts in the language of the reader. */
  translatorOf(visit: Pick<PageVisitor, "rowhouse" | "request">): Translator;
  /** Their function `t`. */
  tOf(visit: Pick<PageVisitor, "rowhouse" | "request">): Translator["t"];
}

/**
 * The texts of a plugin's pages in English and other languages.
 *
 * @example
 * const { texts, tOf } = pageTexts({ "login.log_out": "Log out" }, { de: { "login.log_out": "Abmelden" } });
 * tOf(visit)("login.log_out"); // "Log out"
 * @param translations by language, each with all keys
 */
export function pageTexts<Key extends string>(
  english: Readonly<Record<Key, Text>>,
  translations: Readonly<Record<string, Readonly<Record<NoInfer<Key>, Text>>>>,
): PageTexts {
  const translatorOf: PageTexts["translatorOf"] = ({ rowhouse, request }) =>
    // Without the plugin pages, texts are English.
    rowhouse.serviceIfAny("texts")?.of(request) ?? translator([{ language: "en", texts: english }], "en");
  return {
    texts: Object.entries({ en: english, ...translations }).map(([language, texts]) => ({ language, texts })),
    translatorOf,
    tOf: (visit) => translatorOf(visit).t,
  };
}

const bareDocument = (title: string, content: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
      </head>
      <body>
        ${content}
      </body>
    </html>`.markup;
