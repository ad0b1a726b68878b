import { html, withQuery, type Html, type Resource, type Visit } from "rowhouse/plugin-api";
import { askedBy } from "./check-form.js";
import { partsOf, type ListRequest } from "./list-request.js";
import { tOf } from "./texts.js";

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
