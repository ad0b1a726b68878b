import { html, isObject, type Html, type Visit } from "rowhouse/plugin-api";
import { permissionWords } from "rowhouse/plugin-api/html";
import { tOf } from "./texts.js";

/** What a token is restricted to, in words: actions with the place where they are allowed. @param json null for all */
export function restrictionWords(visit: Visit, json: string | null): Html | string {
  const t = tOf(visit);
  if (json === null) return t("tokens.all_of_actor");
  const { a, d, r }: Record<string, unknown> = objectIn(JSON.parse(json));
  const places: readonly (readonly [place: string, actions: unknown])[] = [
    [t("tokens.everywhere"), a],
    ...Object.entries(objectIn(d)),
    ...Object.entries(objectIn(r)).flatMap(([database, tables]) =>
      Object.entries(objectIn(tables)).map(([table, actions]) => [`${database}/${table}`, actions] as const),
    ),
  ];
  const listed = places.filter(([, actions]) => Array.isArray(actions) && actions.length > 0);
  if (listed.length === 0) return t("tokens.nothing");
  return html`<ul class="plain-list">
    ${listed.map(
      ([place, actions]) =>
        html`<li>
          <span dir="auto">${place}</span>:
          ${(actions as unknown[]).map((one, index) => [index > 0 && ", ", inWords(visit, one)])}
        </li>`,
    )}
  </ul>`;
}

const objectIn = (value: unknown): Record<string, unknown> => (isObject(value) ? { ...value } : {});

/** `View table` for `vt` or `view-table`. */
function inWords(visit: Visit, action: unknown): Html | string {
  const found = [...visit.rowhouse.permissions.registered.values()].find(
    ({ name, abbr }) => name === action || abbr === action,
  );
  return found === undefined ? String(action) : permissionWords(tOf(visit), found);
}
