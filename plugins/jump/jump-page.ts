import {
  html,
  pageReply,
  permissionChain,
  type Html,
  type Page,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import type { Translator } from "rowhouse/plugin-api/html";
import { places } from "./places.js";
import { search } from "./search.js";
import { tOf } from "./texts.js";

export const JUMP_PATH = "/-/jump";
/** In characters. What follows is ignored. */
const LONGEST_QUERY = 500;
const MOST_SHOWN = 60;
const MOST_ROWS = 12;

/** `?q=`: places by name, as a page and as JSON. Needs `view-instance`. */
export const jumpRoute: Route = {
  name: "jump",
  path: `${JUMP_PATH}{.:format}`,
  target: "instance",
  permissions: permissionChain,
  view: showPlaces,
};

interface Found {
  readonly query: string;
  readonly shown: readonly JumpItem[];
  readonly truncated: boolean;
}

async function showPlaces(visit: Visit): Promise<Page | Reply> {
  const { rowhouse, request, actor, format } = visit;
  const query = (request.query.get("q") ?? "").slice(0, LONGEST_QUERY).toWellFormed();
  const at = request.query.get("at") ?? "";
  const found = await search(await places(rowhouse, { actor, request, query, at }), query, request);
  const shown = withRows(found).map(({ kind, label, detail, href }) => ({ kind, label, detail, href }));
  const truncated = found.length > shown.length;
  if (format !== "html") return { name: "jump", data: { ok: true, matches: shown, truncated }, plain: true };
  return pageReply(visit, {
    template: "jump.html",
    title: tOf(visit)("jump.title"),
    content: pageMarkup(visit, { query, shown, truncated }),
    context: { matches: shown, is_translated: true },
  });
}

/** The first places. A few entries are kept for rows, which come last. */
function withRows(found: readonly JumpItem[]): readonly JumpItem[] {
  const rows = found.filter((item) => item.found === true).slice(0, MOST_ROWS);
  return [...found.filter((item) => item.found !== true).slice(0, MOST_SHOWN - rows.length), ...rows];
}

function pageMarkup(visit: Visit, { query, shown, truncated }: Found): Html {
  const t = tOf(visit);
  return html`
    <div class="page-heading"><h1>${t("jump.title")}</h1></div>
    <form class="panel jump-form" action="${visit.rowhouse.urls.path(JUMP_PATH)}" method="get" role="search">
      <label class="visually-hidden" for="jump-query">${t("jump.field")}</label>
      <input
        id="jump-query"
        type="search"
        name="q"
        value="${query}"
        placeholder="${t("jump.field")}"
        dir="auto"
      />
      <button type="submit">${t("jump.find")}</button>
    </form>
    ${
      shown.length === 0
        ? nothingFound(query, t)
        : html`<ul class="jump-list">
            ${shown.map((item) => itemMarkup(item, t))}
          </ul>`
    }
    ${truncated && html`<p class="figures">${t("jump.more")}</p>`}
  `;
}

const nothingFound = (query: string, t: Translator["t"]): Html =>
  query === ""
    ? html`<p class="empty">${t("jump.nothing_here")}</p>`
    : html`<p class="empty"><strong>${t("jump.nothing")}</strong> ${t("jump.try")}</p>`;

const itemMarkup = ({ kind, label, detail, href }: JumpItem, t: Translator["t"]): Html =>
  html`<li>
    <a href="${href}" dir="auto">${label}</a> <span class="jump-kind">${kindName(kind, t)}</span>
    ${detail !== null && html`<span class="jump-detail" dir="auto">${detail}</span>`}
  </li>`;

/** Plugins may have kinds of their own. */
function kindName(kind: string, t: Translator["t"]): string {
  const key = `script.jump.kind_${kind}`;
  const text = t(key);
  return text === key ? kind : text;
}
