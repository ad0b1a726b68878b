import { html, permissionChain, type Database, type Html, type Visit } from "rowhouse/plugin-api";
import { referableTables } from "rowhouse/plugin-api/access";
import type { ColumnLine } from "./column-line.js";
import { tOf } from "../texts.js";
import type { Translator } from "rowhouse/plugin-api/html";

const TYPES = ["text", "integer", "float", "blob"] as const;

/** More lines do not fit on a screen. A script adds a field that finds one. */
const MOST_SEEN = 20;

/** What the lines of a form offer. */
export interface ColumnOffers {
  readonly t: Translator["t"];
  /** Tables that columns can refer to. */
  readonly tables: readonly string[];
  /** Column types; empty if they can't be stored. */
  readonly holds: readonly string[];
  readonly canReorder: boolean;
  /** True if the actor may view the table, and so its defaults, checks, references and indexes. */
  readonly isReader: boolean;
  /** True if the values that a column allows can be changed. */
  readonly canChangeChoices: boolean;
  /** The names of defaults that are computed. */
  readonly expressions: readonly string[];
}

/** What the lines of a form can offer in this database. */
export async function columnOffers(visit: Visit, database: Database): Promise<ColumnOffers> {
  const { rowhouse, actor, target } = visit;
  const tables = await referableTables(rowhouse, actor, database);
  const types = rowhouse.serviceIfAny("columnTypes");
  const isReader = await rowhouse.permissions.allowed(actor, permissionChain(target));
  const { alter, defaults } = database.dialect.definitions;
  return {
    t: tOf(visit),
    tables: tables.map(({ name }) => name),
    holds: types?.keeps === true ? [...types.known.keys()].toSorted() : [],
    canReorder: alter === "rebuild",
    isReader,
    canChangeChoices: alter === "rebuild",
    expressions: Object.keys(defaults.expressions),
  };
}

/** The lines as a table of fields, existing columns first. A script adds lines. */
export const columnTable = (
  lines: readonly ColumnLine[],
  /** The declared types of existing columns. */
  types: readonly string[],
  offers: ColumnOffers,
): Html => html`
  <datalist id="defaults">
    ${offers.expressions.map((name) => html`<option value="${name}"></option>`)}
  </datalist>
  ${
    hasManyTables(offers) &&
    html`<datalist id="tables">
      ${offers.tables.map((name) => html`<option value="${name}"></option>`)}
    </datalist>`
  }
  ${lines.length > MOST_SEEN && html`<p class="find-column" data-label="${offers.t("structure.find_column")}"></p>`}
  <div class="column-box">
    <table class="column-table" data-more="${offers.t("structure.another_column")}">
      <thead>
        <tr>
          <th scope="col">${offers.t("structure.column")}</th>
          <th scope="col">${offers.t("structure.type")}</th>
          <th class="fold"></th>
          <th scope="col">${offers.t("structure.key")}</th>
          <th scope="col">${offers.t("structure.required")}</th>
          <th scope="col">${offers.t("structure.default")}</th>
          <th scope="col">${offers.t("structure.allowed")}</th>
          ${offers.tables.length > 0 && html`<th scope="col">${offers.t("structure.refers_to")}</th>`}
          ${offers.holds.length > 0 && html`<th scope="col">${offers.t("structure.contains")}</th>`}
          ${types.length > 0 && offers.canReorder && html`<th scope="col">${offers.t("structure.position")}</th>`}
          ${types.length > 0 && html`<th scope="col">${offers.t("structure.drop")}</th>`}
        </tr>
      </thead>
      <tbody>
        ${lines.map((line, index) => lineMarkup(line, index, { types, offers }))}
      </tbody>
    </table>
  </div>
`;

interface Around {
  readonly types: readonly string[];
  readonly offers: ColumnOffers;
}

function lineMarkup(line: ColumnLine, index: number, { types, offers }: Around): Html {
  const { t } = offers;
  const declared = types[index];
  const of = line.name === "" ? t("structure.of_new") : t("structure.of", { name: line.name });
  const canChoose = declared === undefined || offers.canChangeChoices;
  const isShown = declared === undefined || offers.isReader;
  return html`<tr>
    <td data-label="${t("structure.column")}">
      <input
        type="text"
        name="name${index}"
        value="${line.name}"
        aria-label="${t("structure.name_of", { of })}"
        dir="auto"
      />
    </td>
    <td data-label="${t("structure.type")}">${typeMenu(line, index, { declared, of, t })}</td>
    <td class="fold">
      ${
        declared !== undefined &&
        html`<details>
          <summary aria-label="${t("structure.more_of", { of })}">${t("structure.more")}</summary>
        </details>`
      }
    </td>
    <td data-label="${t("structure.key")}">
      ${box("key", index, line.isKey, t("structure.key_of", { of }))}
    </td>
    <td data-label="${t("structure.required")}">
      ${box("required", index, line.isRequired, t("structure.required_of", { of }))}
    </td>
    <td data-label="${t("structure.default")}">
      ${isShown && defaultField(line, index, t("structure.default_of", { of }))}
    </td>
    <td data-label="${t("structure.allowed")}">
      ${isShown && (canChoose ? choicesField(line, index, { label: t("structure.allowed_of", { of }), placeholder: t("structure.any") }) : line.choices)}
    </td>
    ${
      offers.tables.length > 0 &&
      html`<td data-label="${t("structure.refers_to")}">
        ${isShown && (hasManyTables(offers) ? tableField : menu)("refers", index, { chosen: line.refersTo, options: offers.tables, label: t("structure.table_of", { of }) })}
      </td>`
    }
    ${
      offers.holds.length > 0 &&
      html`<td data-label="${t("structure.contains")}">
        ${menu("holds", index, { chosen: line.holds, options: offers.holds, label: t("structure.content_of", { of }) })}
      </td>`
    }
    ${types.length > 0 && offers.canReorder && html`<td data-label="${t("structure.position")}">${declared !== undefined && positionField(line, index, t("structure.position_of", { of }))}</td>`}
    ${types.length > 0 && html`<td data-label="${t("structure.drop")}">${declared !== undefined && box("drop", index, line.isDropped, t("structure.drop_column", { name: line.name }))}</td>`}
  </tr>`;
}

const defaultField = ({ defaultText }: ColumnLine, index: number, label: string): Html =>
  html`<input
    type="text"
    name="default${index}"
    value="${defaultText}"
    aria-label="${label}"
    list="defaults"
    autocomplete="off"
  />`;

const choicesField = (
  { choices }: ColumnLine,
  index: number,
  { label, placeholder }: { readonly label: string; readonly placeholder: string },
): Html =>
  html`<input
    type="text"
    name="choices${index}"
    value="${choices}"
    aria-label="${label}"
    placeholder="${placeholder}"
  />`;

const positionField = ({ position }: ColumnLine, index: number, label: string): Html =>
  html`<input
    type="text"
    inputmode="numeric"
    size="3"
    name="position${index}"
    value="${position}"
    aria-label="${label}"
  />`;

const box = (name: string, index: number, isChecked: boolean, label: string): Html =>
  html`<input type="checkbox" name="${name}${index}" aria-label="${label}" ${isChecked && "checked"} />`;

function typeMenu(
  { type }: ColumnLine,
  index: number,
  {
    declared,
    of,
    t,
  }: { readonly declared: string | undefined; readonly of: string; readonly t: Translator["t"] },
): Html {
  const current = declared === "" ? t("structure.no_type") : declared;
  return html`<select name="type${index}" aria-label="${t("structure.type_of", { of })}">
    ${current !== undefined && html`<option value="">${current}</option>`}
    ${TYPES.filter((one) => one !== declared?.toLowerCase()).map(
      (one) =>
        html`<option value="${one}" ${one === type && "selected"}>
          ${current === undefined ? one : `→ ${one}`}
        </option>`,
    )}
  </select>`;
}

/** A menu of them for each column would make the page many megabytes long. */
const hasManyTables = ({ tables }: ColumnOffers): boolean => tables.length > 50;

interface Menu {
  readonly chosen: string;
  readonly options: readonly string[];
  readonly label: string;
}

/** A field that completes names, in place of the menu. */
const tableField = (name: string, index: number, { chosen, options, label }: Menu): Html | null =>
  chosen !== "" && !options.includes(chosen)
    ? null
    : html`<input
        type="text"
        name="${name}${index}"
        value="${chosen}"
        aria-label="${label}"
        placeholder="&mdash;"
        list="tables"
        autocomplete="off"
        dir="auto"
      />`;

/** A table that the actor may not view is not named: without the field, the reference stays. */
function menu(name: string, index: number, { chosen, options, label }: Menu): Html | null {
  if (chosen !== "" && !options.includes(chosen)) return null;
  return html`<select name="${name}${index}" aria-label="${label}">
    <option value="">&mdash;</option>
    ${options.map((one) => html`<option ${one === chosen && "selected"}>${one}</option>`)}
  </select>`;
}
