import { html, pageReply, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import { listing, type ListingRow } from "rowhouse/plugin-api/html";
import { askedBy, checkFormFields } from "./check-form.js";
import { heading } from "./heading.js";
import { listUrl, partsOf, readListRequest, type ListPage, type ListRequest } from "./list-request.js";
import { tOf, type PermissionText } from "./texts.js";

/** A list of decisions, as a page shows it. */
export interface DecisionList<Item> {
  readonly path: string;
  readonly template: string;
  readonly title: PermissionText;
  readonly about: PermissionText;
  readonly headings: readonly PermissionText[];
  /** What the page says of an empty list. */
  readonly empty: PermissionText;
  /** The other list about the same. */
  readonly other: readonly [path: string, label: PermissionText];
  find(visit: Visit, asked: ListRequest): Promise<ListPage<Item>>;
  row(visit: Visit, asked: ListRequest, item: Item): ListingRow;
  /** What follows the list. */
  after?(visit: Visit, asked: ListRequest): Html | string;
}

/** The page of a list: the form that says what it is about, and its items. */
export async function listPage<Item>(visit: Visit, list: DecisionList<Item>): Promise<Reply> {
  const t = tOf(visit);
  const asked = askedBy(visit).action === "" ? null : readListRequest(visit);
  const found = asked && (await list.find(visit, asked));
  return pageReply(visit, {
    template: list.template,
    title: t(list.title),
    content: html`
      ${heading(visit, list.path, list.title)}
      <p class="lead">${t(list.about)}</p>
      <form class="panel" action="${visit.rowhouse.urls.path(list.path)}" method="get">
        ${checkFormFields(visit, { names: ["actor", "action", "parent", "child"], values: askedBy(visit) })}
        <p class="buttons"><button type="submit">${t("permissions.show")}</button></p>
      </form>
      ${asked && found && resultMarkup(visit, list, { asked, found })}
    `,
    context: { found, is_translated: true },
  });
}

function resultMarkup<Item>(
  visit: Visit,
  { title, headings, empty, other, row, after }: DecisionList<Item>,
  { asked, found }: { readonly asked: ListRequest; readonly found: ListPage<Item> },
): Html {
  const t = tOf(visit);
  const { action, place } = asked;
  const [path, label] = other;
  return html`
    <h2>
      ${action.name}
      ${place !== null && t("permissions.on", { place: partsOf(place).filter(Boolean).join(" / ") })}
      <span class="figures">${t("permissions.count", { count: found.total })}</span>
    </h2>
    <p><a href="${listUrl(visit, path)}">${t(label)}</a></p>
    ${
      found.total === 0
        ? html`<p class="empty">${t(empty)}</p>`
        : listing(
            t(title),
            headings.map((text) => t(text)),
            found.items.map((item) => row(visit, asked, item)),
          )
    }
    ${paging(visit, found)} ${after && html`<p>${after(visit, asked)}</p>`}
  `;
}

/** The links to the pages before and after. */
function paging(visit: Visit, { previousUrl, nextUrl }: ListPage<unknown>): Html | false {
  const t = tOf(visit);
  if (previousUrl === null && nextUrl === null) return false;
  const link = (href: string | null, rel: string, label: PermissionText): Html | false =>
    href !== null && html`<a class="button quiet" href="${href}" rel="${rel}">${t(label)}</a>`;
  return html`<p class="paging">
    ${link(previousUrl, "prev", "permissions.previous_page")}
    ${link(nextUrl, "next", "permissions.next_page")}
  </p>`;
}
