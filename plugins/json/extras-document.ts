import { BadRequest, jsonText, withQuery, type Awaitable, type Page, type Visit } from "rowhouse/plugin-api";
import { queryPairs, without, type Part } from "rowhouse/plugin-api/http";
import { jsonString } from "rowhouse/plugin-api/json";
import type { JsonArguments } from "./arguments.js";
import { withBigintText } from "./bigint-text.js";
import { extras, type PageVisit, type Extra, type PageName } from "./extras.js";
import type { JsonOfRow } from "./row-writer.js";
import { enclosed } from "./rows.js";

const LIST = "extras";

/** The parts of a page that these extras need. */
export const partsOf = (names: readonly string[]): ReadonlySet<Part> =>
  new Set(extras.flatMap(({ name, part }) => (part !== undefined && names.includes(name) ? [part] : [])));

/** The extras that a request names, and how it wants integers that a double can't represent. */
interface ExtrasRequest extends Pick<JsonArguments, "bigintText"> {
  readonly names: readonly string[];
}

/** True for pages of rows, which support `_extra`. */
export const supportsExtras = ({ name, rows }: Page): boolean => rows !== undefined && isPageName(name);

/**
 * The document with `_extra`: the rows, and the keys that the request names.
 *
 * @param rows the rows as JSON text
 * @throws BadRequest for an extra that this page does not have
 */
export async function extrasDocument(
  page: Page,
  visit: Visit,
  { names, bigintText }: ExtrasRequest,
  rows: Iterable<JsonOfRow>,
): Promise<Iterable<string>> {
  const known = extrasFor(page);
  const unknown = names.find((name) => name !== LIST && !known.some((extra) => extra.name === name));
  if (unknown !== undefined) {
    const list = [...known.map(({ name }) => name), LIST].join(", ");
    throw new BadRequest(`Unknown _extra: ${unknown}. Known here: ${list}`);
  }
  const members: string[] = [];
  const add = (key: string, value: unknown): void =>
    void members.push(`${jsonString(key)}: ${jsonText(bigintText ? withBigintText(value) : value)}`);
  if (page.name === "table") {
    add("next", page.data["next"]);
    add("next_url", page.data["next_url"]);
  }
  add("truncated", page.data["truncated"] ?? false);
  for (const name of names.filter((one) => !(page.name === "table" && one === "next_url"))) {
    add(name, await valueOf({ page, visit }, known, name, names));
  }
  return enclosed('{"ok": true, "rows": [', rows, `], ${members.join(", ")}}`);
}

const isPageName = (name: string): name is PageName => name === "table" || name === "row" || name === "query";

const extrasFor = ({ name }: Page): readonly Extra[] =>
  isPageName(name) ? extras.filter(({ on }) => on.includes(name)) : [];

function valueOf(
  described: PageVisit,
  known: readonly Extra[],
  name: string,
  names: readonly string[],
): Awaitable<unknown> {
  if (name === LIST) return extrasList(described, known, names);
  return known.find((extra) => extra.name === name)?.value(described);
}

/** All extras of the page, each with the URL that toggles it. */
function extrasList(
  { visit }: PageVisit,
  known: readonly Extra[],
  names: readonly string[],
): readonly object[] {
  const { rowhouse, request } = visit;
  const others = without(queryPairs(request), "_extra");
  return known.map(({ name, description }) => {
    const selected = names.includes(name);
    const toggled = selected ? names.filter((one) => one !== name) : [...names, name];
    const path = rowhouse.urls.path(withQuery(request.path, [...others, ["_extra", toggled.join(",")]]));
    return {
      name,
      description,
      toggle_url: rowhouse.urls.absolute(request, path),
      selected,
    };
  });
}
