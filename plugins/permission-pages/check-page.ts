import {
  html,
  pageReply,
  permissionChain,
  type Html,
  type Page,
  type Reply,
  type Route,
  type Visit,
  type Actor,
  type Decision,
  type PermissionCheck,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { RecordedOpinion } from "rowhouse/plugin-api/access";
import type { Translator } from "rowhouse/plugin-api/html";
import {
  askedBy,
  checkFormFields,
  readCheckForm,
  requireDebugging,
  publishedResource,
  type CheckFormValues,
} from "./check-form.js";
import { heading } from "./heading.js";
import { opinionsMarkup, placeText, verdict } from "./opinions.js";
import { stepsAbove } from "./page-steps.js";
import { tOf } from "./texts.js";

const PATH = "/-/check";

/** `?actor=&action=&parent=&child=`: one decision explained, as a page or as JSON. */
export const checkRoute: Route = {
  name: "permission-check",
  path: `${PATH}{.:format}`,
  target: "instance",
  permissions: permissionChain,
  view: showCheck,
};

async function showCheck(visit: Visit): Promise<Page | Reply> {
  await requireDebugging(visit);
  const { rowhouse, format } = visit;
  const asked = askedBy(visit);
  const isEmptyForm = format === "html" && asked.action === "";
  const explanation = isEmptyForm
    ? null
    : await explain(rowhouse, readCheckForm(asked, rowhouse.permissions.registered));
  if (format !== "html") return { name: "permission-check", data: { ...explanation }, plain: true };
  return pageReply(visit, {
    template: "permission_check.html",
    title: tOf(visit)("permissions.why"),
    content: pageMarkup(visit, asked, explanation),
    context: { explanation, is_translated: true },
  });
}

function pageMarkup(visit: Visit, values: CheckFormValues, explanation: Explanation | null): Html {
  const t = tOf(visit);
  return html`
    ${heading(visit, PATH, "permissions.why")}
    <p class="lead">${t("permissions.about_check")}</p>
    <form class="panel" action="${visit.rowhouse.urls.path(PATH)}" method="get">
      ${checkFormFields(visit, { names: ["actor", "action", "parent", "child"], values })}
      <p class="buttons"><button type="submit">${t("permissions.explain")}</button></p>
    </form>
    ${explanation && absenceMarkup(visit, values.parent)} ${explanation && explanationMarkup(t, explanation)}
  `;
}

/** Rules are about names, so that they also decide for a database that does not exist yet, or is misspelt. */
const absenceMarkup = (visit: Visit, database: string): Html | null =>
  database === "" || visit.rowhouse.databases.has(database)
    ? null
    : html`<p class="message-warning">${tOf(visit)("permissions.no_database", { name: database })}</p>`;

const explanationMarkup = (t: Translator["t"], explanation: Explanation): Html => html`
  <h2>${explanation.action} ${placeText(t, explanation.resource)}</h2>
  <p class="${explanation.allowed ? "message-info" : "message-error"}">
    ${explanation.allowed ? t("permissions.result_allow") : t("permissions.result_deny")}
    ${explanation.used_default && t("permissions.by_default")}
  </p>
  ${opinionsMarkup(t, explanation.opinions)} ${explanation.page && pageStepsMarkup(t, explanation.page)}
`;

const pageStepsMarkup = (t: Translator["t"], { opens, settled_by, steps }: PageExplanation): Html => html`
  <h2>${opens ? t("permissions.page_opens") : t("permissions.page_closed")}</h2>
  <p>
    ${
      settled_by === null
        ? t("permissions.default_decides", { action: steps[0]?.action ?? "" })
        : t("permissions.step_decides", { action: settled_by })
    }
  </p>
  <ol>
    ${steps.map(
      ({ action, resource, opinion, opinions }) =>
        html`<li>
          <strong>${action}</strong>${resource.length > 0 && ` ${placeText(t, resource)}`}:
          <b class="verdict">${opinion === null ? t("permissions.none") : verdict(t, opinion)}</b>
          ${opinionsMarkup(t, opinions)}
        </li>`,
    )}
  </ol>
`;

/** The reasons of a decision in published form. */
export interface Explanation {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resource: string | readonly string[];
  /** The action alone: denied if any opinion denies, allowed if one allows, otherwise the default. */
  readonly allowed: boolean;
  readonly used_default: boolean;
  readonly opinions: readonly RecordedOpinion[];
  /** For actions that guard a page: the permission chain of the page, most specific first. */
  readonly page: PageExplanation | null;
}

/** The first step with an opinion decides; without opinions, the default of the first step. */
export interface PageExplanation {
  readonly opens: boolean;
  /** The action of the deciding step; null if a default decided. */
  readonly settled_by: string | null;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly action: string;
  readonly resource: string | readonly string[];
  readonly opinion: boolean | null;
  readonly opinions: readonly RecordedOpinion[];
}

/** Collects the opinions of all plugins, and for pages those on every step of the chain. */
async function explain(rowhouse: Rowhouse, question: PermissionCheck): Promise<Explanation> {
  const { actor, action, resource } = question;
  const decision = await rowhouse.permissions.decide(actor, action, resource);
  return {
    actor,
    action,
    resource: publishedResource(resource),
    allowed: decision.allowed,
    used_default: decision.usedDefault,
    opinions: decision.opinions,
    page: await explainPage(rowhouse, decision),
  };
}

async function explainPage(rowhouse: Rowhouse, decision: Decision): Promise<PageExplanation | null> {
  const { actor, action, resource } = decision;
  const further = stepsAbove(action, resource);
  if (further === null) return null;
  const above = await Promise.all(
    further.map(([next, place]) => rowhouse.permissions.decide(actor, next, place)),
  );
  const decisions = [decision, ...above];
  const settling = decisions.find(({ opinion }) => opinion !== null);
  return {
    opens: settling?.opinion ?? decision.allowed,
    settled_by: settling?.action ?? null,
    steps: decisions.map((step) => ({
      action: step.action,
      resource: publishedResource(step.resource),
      opinion: step.opinion,
      opinions: step.opinions,
    })),
  };
}
