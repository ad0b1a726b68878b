import {
  BadRequest,
  html,
  pageReply,
  isObject,
  type Actor,
  type Html,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { actorMatches } from "rowhouse/plugin-api/access";
import { withMarkup, type Translator } from "rowhouse/plugin-api/html";
import { parseJson } from "./check-form.js";
import { heading } from "./heading.js";
import { tOf } from "./texts.js";

const PATH = "/-/allow-debug";

/**
 * `?actor=&allow=`: whether an allow block matches an actor. Needs no permission, because it uses no data of the
 * site.
 */
export const allowDebugRoute: Route = {
  name: "allow-debug",
  path: PATH,
  target: "instance",
  view: showForm,
};

interface Field {
  /** Indented if it is valid JSON, otherwise unchanged. */
  readonly text: string;
  readonly value: unknown;
  readonly error: string | null;
}

async function showForm(visit: Visit): Promise<Reply> {
  const { query } = visit.request;
  const t = tOf(visit);
  const actor = readField(query.get("actor") ?? '{"id": "root"}', "Actor");
  const allow = readField(query.get("allow") ?? '{"id": "*"}', "Allow");
  return pageReply(visit, {
    template: "allow_debug.html",
    title: t("permissions.debug_rules"),
    context: { is_translated: true },
    content: html`
      ${heading(visit, PATH, "permissions.debug_rules")}
      <p>${withMarkup(t("permissions.about_rules"), { allow: html`<code>allow</code>` })}</p>
      <form class="panel" action="${visit.rowhouse.urls.path(PATH)}" method="get">
        <div class="field-pair">
          <p class="field">
            <label for="allow">${t("permissions.allow_block")}</label>
            <textarea id="allow" class="code" name="allow" rows="8" spellcheck="false">
${allow.text}</textarea>
          </p>
          <p class="field">
            <label for="actor">${t("permissions.actor")}</label>
            <textarea id="actor" class="code" name="actor" rows="8" spellcheck="false">
${actor.text}</textarea>
          </p>
        </div>
        <p class="buttons"><button type="submit">${t("permissions.apply")}</button></p>
      </form>
      ${resultMarkup(t, actor, allow)}
    `,
  });
}

function readField(text: string, name: string): Field {
  try {
    const value = parseJson(text, name);
    return { text: JSON.stringify(value, null, 4), value, error: null };
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
    return { text, value: null, error: error.message };
  }
}

function resultMarkup(t: Translator["t"], actor: Field, allow: Field): Html {
  const errors = [actor.error, allow.error].filter((error) => error !== null);
  if (errors.length > 0) return html`<p class="message-warning" lang="en">${errors.join("\n\n")}</p>`;
  const allowed = isActor(actor.value) && actorMatches(actor.value, allow.value);
  return allowed
    ? html`<p class="message-info">${t("permissions.result_allow")}</p>`
    : html`<p class="message-error">${t("permissions.result_deny")}</p>`;
}

const isActor = (value: unknown): value is Actor | null => value === null || isObject(value);
