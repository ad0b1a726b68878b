import {
  BadRequest,
  Forbidden,
  html,
  type Actor,
  type Permission,
  type PermissionCheck,
  type Resource,
  type Visit,
  type Html,
} from "rowhouse/plugin-api";
import { tOf } from "./texts.js";
import { jsonComplaint } from "rowhouse/plugin-api/json";

/** The fields of a form about a permission. Missing parts are empty texts. */
export interface CheckFormValues {
  /** JSON. */
  readonly actor: string;
  readonly action: string;
  /** A database. */
  readonly parent: string;
  /** A table, view or query in it. */
  readonly child: string;
}

/** The fields in the address of a request. Without an actor it is that of the request. */
export function askedBy({ request, actor }: Visit): CheckFormValues {
  const argument = (name: string): string => request.query.get(name) ?? "";
  return {
    actor: argument("actor") || JSON.stringify(actor),
    action: argument("action"),
    parent: argument("parent"),
    child: argument("child"),
  };
}

/**
 * Reads the fields of the form.
 *
 * @throws BadRequest if the actor is neither a JSON object nor null, or the action has no such resource
 */
export function readCheckForm(
  asked: CheckFormValues,
  permissions: ReadonlyMap<string, Permission>,
): PermissionCheck {
  const { action, parent, child } = asked;
  const actor = readActor(asked.actor);
  if (action === "") throw new BadRequest("A permission is needed");
  if (child !== "" && parent === "") throw new BadRequest("A table or query needs its database");
  const permission = permissions.get(action);
  if (parent !== "" && permission?.takes_database === false) {
    throw new BadRequest(`${action} takes no database`);
  }
  if (child !== "" && permission?.takes_resource === false) {
    throw new BadRequest(`${action} takes no table or query`);
  }
  return { actor, action, resource: resourceOf(parent, child) };
}

function readActor(text: string): Actor | null {
  const actor = parseJson(text, "Actor");
  if (actor === null) return null;
  if (typeof actor !== "object" || Array.isArray(actor))
    throw new BadRequest("Actor must be an object or null");
  return actor as Actor;
}

// With an indent for each level, a few kilobytes of brackets would become many megabytes.
const MOST_LEVELS = 20;

/** @throws BadRequest naming the field that is not JSON or too deeply nested, with the reason */
export function parseJson(text: string, field: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isDeeper(value, MOST_LEVELS)) throw new SyntaxError("Nested too deeply");
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BadRequest(`${field} JSON error: ${jsonComplaint(text) ?? error.message}`, { cause: error });
  }
}

/** True if lists and objects are nested in more than so many levels. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

function resourceOf(parent: string, child: string): Resource {
  if (parent === "") return null;
  return child === "" ? parent : [parent, child];
}

/** A resource in the published form: `[]`, `"data"`, `["data", "docs"]`. */
export const publishedResource = (resource: Resource): string | readonly string[] => resource ?? [];

/** For clients without `permissions-debug`. */
export const debuggingDenied = (): Forbidden => new Forbidden("Permission denied: need permissions-debug");

/** @throws Forbidden without `permissions-debug` */
export async function requireDebugging(visit: Visit): Promise<void> {
  if (!(await mayDebug(visit))) throw debuggingDenied();
}

/** True if the actor may see the decisions on all resources, with their names and reasons. */
export const mayDebug = ({ rowhouse, actor }: Visit): Promise<boolean> =>
  rowhouse.permissions.allowed(actor, "permissions-debug");

/** The names of the form fields: actor, action, database, resource. */
export type FieldNames = readonly [actor: string, action: string, parent: string, child: string];

/** The form fields of a permission check. */
export function checkFormFields(
  visit: Pick<Visit, "rowhouse" | "request">,
  { names, values }: { readonly names: FieldNames; readonly values: CheckFormValues },
): Html {
  const t = tOf(visit);
  const [actor, action, parent, child] = names;
  return html`
    <p class="field">
      <label for="question-actor">${t("permissions.actor")}</label>
      <textarea id="question-actor" class="code" name="${actor}" rows="3" spellcheck="false">
${values.actor}</textarea>
    </p>
    <div class="field-pair">
      <p class="field">
        <label for="question-action">${t("permissions.permission")}</label>
        <select id="question-action" name="${action}" data-question>
          ${[...visit.rowhouse.permissions.registered.values()].map(
            ({ name, takes_database, takes_resource }) =>
              html`<option
                value="${name}"
                data-takes-database="${takes_database}"
                data-takes-resource="${takes_resource}"
                ${name === values.action && SELECTED}
              >
                ${name}
              </option>`,
          )}
        </select>
      </p>
      <p class="field" data-shown-for="takesDatabase">
        <label for="question-parent">${t("permissions.database")}</label>
        <input id="question-parent" type="text" name="${parent}" value="${values.parent}" />
      </p>
      <p class="field" data-shown-for="takesResource">
        <label for="question-child">${t("permissions.table")}</label>
        <input id="question-child" type="text" name="${child}" value="${values.child}" />
      </p>
    </div>
  `;
}

const SELECTED = html`selected`;
