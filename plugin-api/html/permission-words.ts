import type { Permission } from "../access/permissions.js";
import { html, type Html } from "./markup.js";
import type { TextCatalogue, Translator } from "./texts.js";

const keyOf = (permission: string): string => `permission.${permission}`;

/**
 * The texts of permissions for `register_texts`: their descriptions in English, and those of further languages by the
 * names of the permissions.
 *
 * @example
 * const viewTable = { name: "view-table", description: "View tables", takes_database: true, takes_resource: true, default: true };
 * permissionTexts([viewTable], { de: { "view-table": "Tabelle ansehen" } })[1];
 * // { language: "de", texts: { "permission.view-table": "Tabelle ansehen" } }
 */
export function permissionTexts(
  permissions: readonly Permission[],
  further: Readonly<Record<string, Readonly<Record<string, string>>>>,
): readonly TextCatalogue[] {
  const english = Object.fromEntries(permissions.map(({ name, description }) => [name, description ?? name]));
  return Object.entries({ en: english, ...further }).map(([language, words]) => ({
    language,
    texts: Object.fromEntries(Object.entries(words).map(([name, text]) => [keyOf(name), text])),
  }));
}

/**
 * What a permission allows, in the language of the reader. The English description of a permission without texts is
 * marked as English.
 *
 * @example
 * const { tOf } = pageTexts({}, {});
 * permissionWords(tOf(visit), { name: "view-table" }); // "View table"
 */
export function permissionWords(
  t: Translator["t"],
  { name, description }: Pick<Permission, "name" | "description">,
): Html | string {
  const key = keyOf(name);
  const text = t(key);
  if (text !== key) return text;
  return description ? html`<span lang="en">${description}</span>` : name;
}
