import { html } from "rowhouse/plugin-api";
import type { Html, Visit } from "rowhouse/plugin-api";
import type { Asked } from "./question.js";

/** The names under which a form submits a question's parts: actor, action, database, resource. */
export type FieldNames = readonly [actor: string, action: string, parent: string, child: string];

/** The form fields of a question about permissions. */
export function questionFields(
  { rowhouse }: Pick<Visit, "rowhouse">,
  { names, values }: { readonly names: FieldNames; readonly values: Asked },
): Html {
  const [actor, action, parent, child] = names;
  return html`
    <p>
      <label>Actor <textarea name="${actor}" rows="3" cols="40">${values.actor}</textarea></label>
    </p>
    <p>
      <label>
        Permission
        <select name="${action}" data-question>
          ${[...rowhouse.permissions.values()].map(
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
      </label>
    </p>
    <p>
      <label data-shown-for="takesDatabase"
        >Database <input type="text" name="${parent}" value="${values.parent}"
      /></label>
      <label data-shown-for="takesResource"
        >Table or query <input type="text" name="${child}" value="${values.child}"
      /></label>
    </p>
  `;
}

const SELECTED = html`selected`;
