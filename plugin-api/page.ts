import { html } from "./html.js";
import type { Html } from "./html.js";
import type { Actor } from "./permissions.js";
import { reply } from "./request.js";
import type { Reply, ReplyHeaders, Request } from "./request.js";
import type { Rowhouse } from "./rowhouse.js";

/** A page whose content a plugin made with the `html` tag. */
export interface PlainPage {
  /** A person's own template of this name takes over; it gets `title`, `content` and `context`. */
  readonly template: string;
  readonly title: string;
  readonly content: Html;
  /** What the content was made from, for templates that lay it out themselves. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly headers?: ReplyHeaders;
  /** What the page belongs to: its way up leads there. */
  readonly database?: string;
  readonly table?: string;
}

/** Who sees the page. */
export interface PageVisitor {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
}

/** The page in the frame of the site where there is one, else as a bare document. */
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

/** The hidden form field that proves a form came from this site. */
export function csrfField({ rowhouse, request }: Pick<PageVisitor, "rowhouse" | "request">): Html {
  const token = rowhouse.serviceIfAny("csrf")?.token(request);
  return token === undefined ? html`` : html`<input type="hidden" name="csrftoken" value="${token}" />`;
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
