import {
  html,
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
import { withMarkup, type ListingRow } from "rowhouse/plugin-api/html";
import { askedBy, requireDebugging } from "./check-form.js";
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
  if (visit.format === "html") return listPage(visit, LIST);
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

const LIST: DecisionList<Rule> = {
  path: PATH,
  template: "permission_rules.html",
  title: "permissions.rules",
  about: "permissions.about_opinions",
  headings: [
    "permissions.asked_about",
    "permissions.opinion",
    "permissions.plugin",
    "permissions.reason",
    "permissions.try_it",
  ],
  empty: "permissions.no_opinion",
  other: ["/-/allowed", "permissions.where_this"],
  find: rulesOf,
  row: ruleRow,
  after: withoutRule,
};

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
