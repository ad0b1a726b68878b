import { html, isObject, type Html, type Rowhouse } from "rowhouse/plugin-api";

/** What a token is restricted to, in words: actions with the place where they are allowed. @param json null for all */
export function restrictionWords(rowhouse: Rowhouse, json: string | null): Html | string {
  if (json === null) return "all that its actor may do";
  const { a, d, r }: Record<string, unknown> = objectIn(JSON.parse(json));
  const places: readonly (readonly [place: string, actions: unknown])[] = [
    ["everywhere", a],
    ...Object.entries(objectIn(d)),
    ...Object.entries(objectIn(r)).flatMap(([database, tables]) =>
      Object.entries(objectIn(tables)).map(([table, actions]) => [`${database}/${table}`, actions] as const),
    ),
  ];
  const listed = places.filter(([, actions]) => Array.isArray(actions) && actions.length > 0);
  if (listed.length === 0) return "nothing";
  return html`<ul class="plain-list">
    ${listed.map(
      ([place, actions]) =>
        html`<li>
          <span dir="auto">${place}</span>:
          ${(actions as unknown[]).map((one) => inWords(rowhouse, one)).join(", ")}
        </li>`,
    )}
  </ul>`;
}

const objectIn = (value: unknown): Record<string, unknown> => (isObject(value) ? { ...value } : {});

/** `View table` for `vt` or `view-table`. */
function inWords({ permissions }: Rowhouse, action: unknown): string {
  const found = [...permissions.registered.values()].find(
    ({ name, abbr }) => name === action || abbr === action,
  );
  return found?.description ?? String(action);
}
