import {
  html,
  pageReply,
  permissionChain,
  withQuery,
  type Html,
  type Page,
  type Reply,
  type Resource,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { listing, withMarkup, type ListingRow } from "rowhouse/plugin-api/html";
import { askedBy, requireDebugging } from "./check-form.js";
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
import { verdict } from "./opinions.js";
import { stepsAbove } from "./page-steps.js";
import { resourcesOf } from "./resources.js";
import { rulesIn, type Rule } from "./rules.js";
import { tOf } from "./texts.js";

const PATH = "/-/rules";

/** `?actor=&action=&parent=&child=&page=&page_size=`: the opinions of all plugins, as a page or as JSON. */
export const rulesRoute: Route = {
  name: "permission-rules",
  path: `${PATH}{.:format}`,
  target: "instance",
  permissions: permissionChain,
  view: showRules,
};

async function showRules(visit: Visit): Promise<Page | Reply> {
  await requireDebugging(visit);
  if (visit.format === "html") return rulesPage(visit);
  const asked = readListRequest(visit);
  const found = await rulesOf(visit, asked);
  const items = found.items.map(({ resource, allowed, because, plugin }) => ({
    ...publishedPlace(resource),
    allow: allowed ? 1 : 0,
    reason: because,
    source_plugin: plugin,
  }));
  return { name: "permission-rules", data: listDocument(asked, found, items), plain: true };
}

async function rulesPage(visit: Visit): Promise<Reply> {
  const asked = askedBy(visit).action === "" ? null : readListRequest(visit);
  const found = asked === null ? null : await rulesOf(visit, asked);
  return pageReply(visit, {
    template: "permission_rules.html",
    title: tOf(visit)("permissions.rules"),
    content: html`
      ${listForm(visit, PATH, { title: "permissions.rules", about: "permissions.about_opinions" })}
      ${asked && found && resultMarkup(visit, asked, found)}
    `,
    context: { found, is_translated: true },
  });
}

/** Decided for all resources also if the list is narrowed: only then is it known which opinions are about all of them. */
async function rulesOf(visit: Visit, asked: ListRequest): Promise<ListPage<Rule>> {
  const { rowhouse, request } = visit;
  const { actor, action, place, page, size } = asked;
  const slices = new TimeSlices(request);
  const resources = await resourcesOf(rowhouse, action, actor);
  await slices.nextIfOver();
  const decisions = await rowhouse.permissions.decideMany(actor, action.name, resources);
  await slices.nextIfOver();
  const all = rulesIn(decisions).filter(({ resource }) => overlaps(resource, place));
  await slices.nextIfOver();
  return pageOf(visit, PATH, { all, page, size });
}

function resultMarkup(visit: Visit, asked: ListRequest, found: ListPage<Rule>): Html {
  const t = tOf(visit);
  const headings = [
    t("permissions.asked_about"),
    t("permissions.opinion"),
    t("permissions.plugin"),
    t("permissions.reason"),
    t("permissions.try_it"),
  ];
  return html`
    ${listHeading(visit, asked, { total: found.total, other: ["/-/allowed", "permissions.where_this"] })}
    ${
      found.total === 0
        ? html`<p class="empty">${t("permissions.no_opinion")}</p>`
        : listing(
            t("permissions.rules"),
            headings,
            found.items.map((rule) => ruleRow(visit, asked, rule)),
          )
    }
    ${paging(visit, found)}
    <p>${withoutRule(visit, asked)}</p>
  `;
}

function ruleRow(visit: Visit, asked: ListRequest, { resource, allowed, plugin, because }: Rule): ListingRow {
  const t = tOf(visit);
  return {
    cells: [
      ruledMarkup(visit, asked, resource),
      html`<b class="verdict">${verdict(t, allowed)}</b>`,
      plugin ?? "",
      because === null ? "" : html`<span lang="en">${because}</span>`,
      isJoined(asked, resource) ? "" : checkLink(visit, asked, resource),
    ],
  };
}

/** True for a rule about everything, or everything in a database. */
const isJoined = ({ action }: ListRequest, resource: Resource): boolean =>
  (resource === null && action.takes_database) || (typeof resource === "string" && action.takes_resource);

function ruledMarkup(visit: Visit, asked: ListRequest, resource: Resource): Html | string {
  const t = tOf(visit);
  const place = placeMarkup(visit, resource);
  if (place === null)
    return t(isJoined(asked, resource) ? "permissions.everything" : "permissions.of_instance");
  return isJoined(asked, resource) ? withMarkup(t("permissions.everything_in"), { place }) : place;
}

/** What decides where there is no rule: the rules about the database and the instance of a page, then the default. */
function withoutRule(visit: Visit, { action, place }: ListRequest): Html | string {
  const t = tOf(visit);
  const byDefault = `${t("permissions.without_rule")}: ${t(action.default ? "permissions.allowed" : "permissions.denied")}`;
  const steps = stepsAbove(action.name, place ?? "") ?? [];
  if (steps.length === 0) return `${byDefault}.`;
  const links = steps.map(
    ([name], index) => html`${index > 0 && ", "}<a href="${rulesLink(visit, name)}">${name}</a>`,
  );
  return html`${withMarkup(t("permissions.steps_decide"), { steps: html`${links}` })} ${byDefault}.`;
}

const rulesLink = (visit: Visit, action: string): string =>
  withQuery(visit.rowhouse.urls.path(PATH), [
    ["actor", askedBy(visit).actor],
    ["action", action],
  ]);
