import { html, type Html, type HtmlValue } from "./markup.js";

/** One row of a listing. */
export interface ListingRow {
  /** The anchor of the row. */
  readonly id?: string;
  /** Text or markup. The first cell names what the row is about. */
  readonly cells: readonly HtmlValue[];
}

/**
 * A table of facts on a page about the server: settings, tokens, permissions. It scrolls in its own box. On phones each
 * row is a block, in which every cell has its heading before it.
 *
 * @example
 * const rows = [{ id: "token-1", cells: ["nightly", "root"] }];
 * listing("Tokens", ["Name", "Acts for"], rows).markup.includes('<td data-label="Acts for">root</td>'); // true
 * @param label the name of the table for assistive technology
 */
export function listing(label: string, headings: readonly string[], rows: readonly ListingRow[]): Html {
  return html`<div class="table-wrapper" tabindex="0" role="region" aria-label="${label}">
    <table class="listing">
      <thead>
        <tr>
          ${headings.map((text) => html`<th scope="col">${text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ id, cells }) =>
            html`<tr ${id !== undefined && html`id="${id}"`}>
              ${cells.map((cell, index) => html`<td data-label="${headings[index]}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
