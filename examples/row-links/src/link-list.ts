import { html, type Html } from "rowhouse/plugin-api";
import type { RowLink } from "./hook.js";

/** Null where there is nothing to list. */
export const linkList = (links: readonly RowLink[]): Html | null =>
  links.length === 0
    ? null
    : html`
        <nav aria-label="Links about this row">
          <ul>
            ${links.map(({ href, label }) => html`<li><a href="${href}" rel="noreferrer">${label}</a></li>`)}
          </ul>
        </nav>
      `;
