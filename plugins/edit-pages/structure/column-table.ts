import { html, permissionChain, type Database, type Html, type Visit } from "rowhouse/plugin-api";
import type { ColumnLine } from "./column-line.js";

const TYPES = ["text", "integer", "float", "blob"] as const;

/** What the lines of a form offer. */
export interface ColumnOffers {
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
export async function columnOffers(
  { rowhouse, actor, target }: Visit,
  database: Database,
): Promise<ColumnOffers> {
  const { tables } = await database.schema();
  const keyed = [...tables.values()]
    .filter(({ kind, primaryKeys }) => kind === "table" && primaryKeys.length === 1)
    .map(({ name }) => name);
  const viewable =
    (await rowhouse.serviceIfAny("rowAccess")?.viewable(actor, database, keyed)) ?? new Set(keyed);
  const types = rowhouse.serviceIfAny("columnTypes");
  const isReader = await rowhouse.permissions.allowed(actor, permissionChain(target));
  const { alter, defaults } = database.dialect.definitions;
  return {
    tables: keyed.filter((name) => viewable.has(name)),
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
  <div class="column-box">
    <table class="column-table" data-more="Another column">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">Type</th>
          <th scope="col">Key</th>
          <th scope="col">Required</th>
          <th scope="col">Default</th>
          <th scope="col">Allowed values</th>
          ${offers.tables.length > 0 && html`<th scope="col">Refers to</th>`}
          ${offers.holds.length > 0 && html`<th scope="col">Contains</th>`}
          ${types.length > 0 && offers.canReorder && html`<th scope="col">Position</th>`}
          ${types.length > 0 && html`<th scope="col">Drop</th>`}
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
  const declared = types[index];
  const of = line.name === "" ? "of the new column" : `of ${line.name}`;
  const canChoose = declared === undefined || offers.canChangeChoices;
  const isShown = declared === undefined || offers.isReader;
  return html`<tr>
    <td data-label="Column">
      <input type="text" name="name${index}" value="${line.name}" aria-label="Name ${of}" dir="auto" />
    </td>
    <td data-label="Type">${typeMenu(line, index, { declared, of })}</td>
    <td data-label="Key">${box("key", index, line.isKey, `Key ${of}`)}</td>
    <td data-label="Required">${box("required", index, line.isRequired, `Required ${of}`)}</td>
    <td data-label="Default">${isShown && defaultField(line, index, of)}</td>
    <td data-label="Allowed values">
      ${isShown && (canChoose ? choicesField(line, index, of) : line.choices)}
    </td>
    ${
      offers.tables.length > 0 &&
      html`<td data-label="Refers to">
        ${isShown && menu("refers", index, { chosen: line.refersTo, options: offers.tables, label: `Table ${of}` })}
      </td>`
    }
    ${
      offers.holds.length > 0 &&
      html`<td data-label="Contains">
        ${menu("holds", index, { chosen: line.holds, options: offers.holds, label: `Content ${of}` })}
      </td>`
    }
    ${types.length > 0 && offers.canReorder && html`<td data-label="Position">${declared !== undefined && positionField(line, index, of)}</td>`}
    ${types.length > 0 && html`<td data-label="Drop">${declared !== undefined && box("drop", index, line.isDropped, `Drop ${line.name}`)}</td>`}
  </tr>`;
}

const defaultField = ({ defaultText }: ColumnLine, index: number, of: string): Html =>
  html`<input
    type="text"
    name="default${index}"
    value="${defaultText}"
    aria-label="Default ${of}"
    list="defaults"
    autocomplete="off"
  />`;

const choicesField = ({ choices }: ColumnLine, index: number, of: string): Html =>
  html`<input
    type="text"
    name="choices${index}"
    value="${choices}"
    aria-label="Allowed values ${of}"
    placeholder="any"
  />`;

const positionField = ({ position }: ColumnLine, index: number, of: string): Html =>
  html`<input
    type="text"
    inputmode="numeric"
    size="3"
    name="position${index}"
    value="${position}"
    aria-label="Position ${of}"
  />`;

const box = (name: string, index: number, isChecked: boolean, label: string): Html =>
  html`<input type="checkbox" name="${name}${index}" aria-label="${label}" ${isChecked && "checked"} />`;

function typeMenu(
  { type }: ColumnLine,
  index: number,
  { declared, of }: { readonly declared: string | undefined; readonly of: string },
): Html {
  const current = declared === "" ? "no type" : declared;
  return html`<select name="type${index}" aria-label="Type ${of}">
    ${current !== undefined && html`<option value="">${current}</option>`}
    ${TYPES.filter((one) => one !== declared?.toLowerCase()).map(
      (one) =>
        html`<option value="${one}" ${one === type && "selected"}>
          ${current === undefined ? one : `→ ${one}`}
        </option>`,
    )}
  </select>`;
}

interface Menu {
  readonly chosen: string;
  readonly options: readonly string[];
  readonly label: string;
}

/** A table that the actor may not view is not named: without the field, the reference stays. */
function menu(name: string, index: number, { chosen, options, label }: Menu): Html | null {
  if (chosen !== "" && !options.includes(chosen)) return null;
  return html`<select name="${name}${index}" aria-label="${label}">
    <option value="">—</option>
    ${options.map((one) => html`<option ${one === chosen && "selected"}>${one}</option>`)}
  </select>`;
}
