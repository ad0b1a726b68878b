import {
  html,
  permissionChain,
  type Decision,
  type Html,
  type Page,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { debuggingDenied, mayDebug, publishedResource } from "./check-form.js";
import { checkLink, placeMarkup } from "./list-markup.js";
import { listPage, type DecisionList } from "./list-page.js";
import {
  listDocument,
  overlaps,
  pageOf,
  publishedPlace,
  readListRequest,
  type ListPage,
  type ListRequest,
} from "./list-request.js";
import { placeText } from "./opinions.js";
import { listedResources, resourcesOf } from "./resources.js";
import { settledDecisions, type Settled } from "./settled.js";
import { tOf } from "./texts.js";

const PATH = "/-/allowed";

/** `?actor=&action=&parent=&child=&page=&page_size=`: where an action is allowed, as a page or as JSON. */
export const allowedRoute: Route = {
  name: "permission-allowed",
  path: `${PATH}{.:format}`,
  target: "instance",
  permissions: permissionChain,
  view: showAllowed,
};

/**
 * With `permissions-debug`, all resources of any actor with the reasons. Without, JSON about the actor of the request:
 * what lists show to this actor, so that it reveals no name, and no reasons.
 */
async function showAllowed(visit: Visit): Promise<Page | Reply> {
  const { format, request } = visit;
  const seesAll = await mayDebug(visit);
  const isOwn = format !== "html" && (request.query.get("actor") ?? "") === "";
  if (!seesAll && !isOwn) throw debuggingDenied();
  if (format === "html") return listPage(visit, LIST);
  const asked = readListRequest(visit);
  const found = await allowedOf(visit, asked, seesAll ? resourcesOf : listedResources);
  const items = found.items.map(({ resource, decision }) => ({
    ...publishedPlace(resource),
    ...(seesAll && publishedReason(asked, decision)),
  }));
  return { name: "permission-allowed", data: listDocument(asked, found, items), plain: true };
}

const LIST: DecisionList<Settled> = {
  path: PATH,
  template: "permission_allowed.html",
  title: "permissions.where",
  about: "permissions.about_allowed",
  headings: ["permissions.asked_about", "permissions.reason", "permissions.try_it"],
  empty: "permissions.allowed_nowhere",
  other: ["/-/rules", "permissions.rules_of_this"],
  find: (visit, asked) => allowedOf(visit, asked, resourcesOf),
  row: (visit, asked, { resource, decision }) => ({
    cells: [
      placeMarkup(visit, resource) ?? tOf(visit)("permissions.of_instance"),
      reasonMarkup(visit, asked, decision),
      checkLink(visit, asked, resource),
    ],
  }),
};

/** A page of the resources on which the action is allowed. Decided in bulk, since there can be thousands. */
async function allowedOf(
  visit: Visit,
  asked: ListRequest,
  resources: typeof resourcesOf,
): Promise<ListPage<Settled>> {
  const { rowhouse, request } = visit;
  const { actor, action, place, page, size } = asked;
  const slices = new TimeSlices(request);
  const all = await resources(rowhouse, action, actor);
  await slices.nextIfOver();
  const settled = await settledDecisions(
    rowhouse.permissions,
    { actor, action: action.name },
    all.filter((resource) => overlaps(resource, place)),
  );
  await slices.nextIfOver();
  return pageOf(visit, PATH, { all: settled.filter(({ decision }) => decision.allowed), page, size });
}

/** The texts of all opinions, which all allow, and the plugin of the first. */
function publishedReason(
  { action }: ListRequest,
  decision: Decision,
): { readonly reason: readonly string[]; readonly source_plugin: string | null } {
  const { opinions } = decision;
  const step = decision.action === action.name ? "" : `${decision.action}: `;
  const reason = opinions.map(({ plugin, because }) => step + (because ?? `${plugin ?? ""} allows it`));
  return {
    reason: reason.length === 0 ? [`the default of ${action.name}`] : reason,
    source_plugin: opinions[0]?.plugin ?? null,
  };
}

function reasonMarkup(visit: Visit, { action }: ListRequest, decision: Decision): Html | string {
  const t = tOf(visit);
  if (decision.usedDefault) return t("permissions.default_of", { action: action.name });
  const step =
    decision.action !== action.name &&
    html`<strong>${decision.action}</strong> ${placeText(t, publishedResource(decision.resource))}`;
  return html`${step}
    <ul class="plain-list">
      ${decision.opinions.map(
        ({ plugin, because }) =>
          html`<li>
            ${because !== null && html`<span lang="en">${because}</span>`}
            <span class="figures">(${plugin})</span>
          </li>`,
      )}
    </ul>`;
}
