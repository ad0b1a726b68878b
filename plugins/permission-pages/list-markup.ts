import { html, withQuery, type Html, type Resource, type Visit } from "rowhouse/plugin-api";
import { askedBy, checkFormFields } from "./check-form.js";
import { heading } from "./heading.js";
import { listUrl, partsOf, type ListPage, type ListRequest } from "./list-request.js";
import { tOf, type PermissionText } from "./texts.js";

/** The texts of a page with a list of decisions. */
interface ListTexts {
  readonly title: PermissionText;
  readonly about: PermissionText;
}

/** The top of a page with a list: its heading, and the form that says what it is about. */
export function listForm(visit: Visit, path: string, { title, about }: ListTexts): Html {
  const t = tOf(visit);
  return html`
    ${heading(visit, path, title)}
    <p class="lead">${t(about)}</p>
    <form class="panel" action="${visit.rowhouse.urls.path(path)}" method="get">
      ${checkFormFields(visit, { names: ["actor", "action", "parent", "child"], values: askedBy(visit) })}
      <p class="buttons"><button type="submit">${t("permissions.show")}</button></p>
    </form>
  `;
}

/** The heading of a list, with the number of its items and a link to the other list about the same. */
export function listHeading(
  visit: Visit,
  { action, place }: ListRequest,
  {
    total,
    other,
  }: { readonly total: number; readonly other: readonly [path: string, label: PermissionText] },
): Html {
  const t = tOf(visit);
  const [path, label] = other;
  return html`
    <h2>
      ${action.name}
      ${place !== null && t("permissions.on", { place: partsOf(place).filter(Boolean).join(" / ") })}
      <span class="figures">${t("permissions.count", { count: total })}</span>
    </h2>
    <p><a href="${listUrl(visit, path)}">${t(label)}</a></p>
  `;
}

/** The links to the pages before and after. */
export function paging(visit: Visit, { previousUrl, nextUrl }: ListPage<unknown>): Html | false {
  const t = tOf(visit);
  if (previousUrl === null && nextUrl === null) return false;
  const link = (href: string | null, rel: string, label: PermissionText): Html | false =>
    href !== null && html`<a class="button quiet" href="${href}" rel="${rel}">${t(label)}</a>`;
  return html`<p class="paging">
    ${link(previousUrl, "prev", "permissions.previous_page")}
    ${link(nextUrl, "next", "permissions.next_page")}
  </p>`;
}

/** The link that explains the decision on a resource. */
export function checkLink(visit: Visit, { action }: ListRequest, resource: Resource): Html {
  const t = tOf(visit);
  const [parent, child] = partsOf(resource);
  const href = withQuery(visit.rowhouse.urls.path("/-/check"), [
    ["actor", askedBy(visit).actor],
    ["action", action.name],
    ...(parent === null ? [] : [["parent", parent] as const]),
    ...(child === null ? [] : [["child", child] as const]),
  ]);
  const name = [parent, child].filter((part) => part !== null).join(" / ") || action.name;
  return html`<a href="${href}" aria-label="${t("permissions.check_named", { name })}"
    >${t("permissions.check")}</a
  >`;
}

/** The name of a resource, as a link to its page. */
export function placeMarkup({ rowhouse: { urls } }: Visit, resource: Resource): Html | null {
  const [parent, child] = partsOf(resource);
  if (parent === null) return null;
  const href = child === null ? urls.database(parent) : urls.table(parent, child);
  return html`<a href="${href}" dir="auto">${child === null ? parent : `${parent} / ${child}`}</a>`;
}
