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
    <p class="field">
      <label for="question-actor">Actor</label>
      <textarea id="question-actor" class="code" name="${actor}" rows="3" spellcheck="false">
${values.actor}</textarea>
    </p>
    <div class="field-pair">
      <p class="field">
        <label for="question-action">Permission</label>
        <select id="question-action" name="${action}" data-question>
          ${[...rowhouse.permissions.registered.values()].map(
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
        <label for="question-parent">Database</label>
        <input id="question-parent" type="text" name="${parent}" value="${values.parent}" />
      </p>
      <p class="field" data-shown-for="takesResource">
        <label for="question-child">Table or query</label>
        <input id="question-child" type="text" name="${child}" value="${values.child}" />
      </p>
    </div>
  `;
}

const SELECTED = html`selected`;
