import {
  html,
  pageReply,
  permissionChain,
  type Decision,
  type Html,
  type Page,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { listing, type ListingRow } from "rowhouse/plugin-api/html";
import { askedBy, debuggingDenied, mayDebug, publishedResource } from "./check-form.js";
import { checkLink, listForm, listHeading, paging, placeMarkup } from "./list-markup.js";
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
  if (format === "html") return allowedPage(visit);
  const asked = readListRequest(visit);
  const found = await allowedOf(visit, asked, seesAll ? resourcesOf : listedResources);
  const items = found.items.map(({ resource, decision }) => ({
    ...publishedPlace(resource),
    ...(seesAll && publishedReason(asked, decision)),
  }));
  return { name: "permission-allowed", data: listDocument(asked, found, items), plain: true };
}

async function allowedPage(visit: Visit): Promise<Reply> {
  const asked = askedBy(visit).action === "" ? null : readListRequest(visit);
  const found = asked === null ? null : await allowedOf(visit, asked, resourcesOf);
  return pageReply(visit, {
    template: "permission_allowed.html",
    title: tOf(visit)("permissions.where"),
    content: html`
      ${listForm(visit, PATH, { title: "permissions.where", about: "permissions.about_allowed" })}
      ${asked && found && resultMarkup(visit, asked, found)}
    `,
    context: { found, is_translated: true },
  });
}

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

function resultMarkup(visit: Visit, asked: ListRequest, found: ListPage<Settled>): Html {
  const t = tOf(visit);
  const headings = [t("permissions.asked_about"), t("permissions.reason"), t("permissions.try_it")];
  return html`
    ${listHeading(visit, asked, { total: found.total, other: ["/-/rules", "permissions.rules_of_this"] })}
    ${
      found.total === 0
        ? html`<p class="empty">${t("permissions.allowed_nowhere")}</p>`
        : listing(
            t("permissions.where"),
            headings,
            found.items.map((one) => settledRow(visit, asked, one)),
          )
    }
    ${paging(visit, found)}
  `;
}

const settledRow = (visit: Visit, asked: ListRequest, { resource, decision }: Settled): ListingRow => ({
  cells: [
    placeMarkup(visit, resource) ?? tOf(visit)("permissions.of_instance"),
    reasonMarkup(visit, asked, decision),
    checkLink(visit, asked, resource),
  ],
});

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
