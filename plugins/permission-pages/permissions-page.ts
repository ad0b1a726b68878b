import {
  RowhouseError,
  csrfField,
  html,
  jsonText,
  pageReply,
  permissionChain,
  reply,
  type Decision,
  type Html,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { withMarkup } from "rowhouse/plugin-api/html";
import { checkFormFields, publishedResource, readCheckForm, requireDebugging } from "./check-form.js";
import { heading } from "./heading.js";
import { recentChecks } from "./recent-checks.js";
import { tOf } from "./texts.js";

const PATH = "/-/permissions";

/** The latest decisions, and a form that checks a permission. */
export const permissionsRoutes: readonly Route[] = [
  {
    name: "permissions",
    path: PATH,
    target: "instance",
    permissions: permissionChain,
    view: showDecisions,
  },
  {
    name: "permissions-test",
    method: "POST",
    path: PATH,
    target: "instance",
    permissions: permissionChain,
    view: testPermission,
  },
];

async function showDecisions(visit: Visit): Promise<Reply> {
  await requireDebugging(visit);
  // Copied now: rendering the page makes further decisions.
  const decisions = [...visit.rowhouse.permissions.decisions];
  return pageReply(visit, {
    template: "permissions_debug.html",
    title: tOf(visit)("permissions.debug"),
    content: pageMarkup(visit, decisions),
    context: { decisions, is_translated: true },
  });
}

async function testPermission(visit: Visit): Promise<Reply> {
  await requireDebugging(visit);
  const { rowhouse, request } = visit;
  const { fields: form } = await request.form();
  const missing = FIELDS.find((name) => !form.has(name));
  if (missing !== undefined) return refusal(`${missing} is missing`);
  const [actor = "", action = "", parent = "", child = ""] = FIELDS.map((name) => form.get(name) ?? "");
  try {
    const question = readCheckForm({ actor, action, parent, child }, rowhouse.permissions.registered);
    const decision = await rowhouse.permissions.decide(question.actor, question.action, question.resource);
    return reply.json(
      jsonText({
        actor: question.actor,
        permission: question.action,
        resource: publishedResource(question.resource),
        result: decision.opinion ?? "USE_DEFAULT",
      }),
    );
  } catch (error) {
    if (error instanceof RowhouseError && error.status === 400) return refusal(error.message);
    throw error;
  }
}

const FIELDS = ["actor", "permission", "resource_1", "resource_2"] as const;

const refusal = (error: string): Reply =>
  reply.json(jsonText({ ok: false, error, status: 400, title: null }), 400);

function pageMarkup(visit: Visit, decisions: readonly Decision[]): Html {
  const t = tOf(visit);
  const check = html`<a href="${visit.rowhouse.urls.path("/-/check")}">/-/check</a>`;
  return html`
    ${heading(visit, PATH, "permissions.debug")}
    <p>${withMarkup(t("permissions.about_debug"), { link: check })}</p>
    <form class="panel" action="${visit.rowhouse.urls.path(PATH)}" method="post">
      ${csrfField(visit)}
      ${checkFormFields(visit, {
        names: FIELDS,
        values: { actor: '{"id": "root"}', action: "", parent: "", child: "" },
      })}
      <p class="buttons"><button type="submit">${t("permissions.check")}</button></p>
    </form>
    ${recentChecks(visit, decisions)}
  `;
}
