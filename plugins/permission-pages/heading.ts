import { html, type Html, type Rowhouse } from "rowhouse/plugin-api";

const PAGES = [
  ["/-/permissions", "Recent checks"],
  ["/-/check", "Why is that allowed?"],
  ["/-/actions", "All permissions"],
  ["/-/allow-debug", "Try an allow rule"],
] as const;

/** The heading of a page about permissions, with links to the others. */
export const heading = ({ urls }: Rowhouse, path: string, title: string): Html => html`
  <h1>${title}</h1>
  <nav class="service-links" aria-label="Permissions">
    <ul>
      ${PAGES.map(
        ([page, label]) =>
          html`<li>
            <a href="${urls.path(page)}" ${page === path && html`aria-current="page"`}>${label}</a>
          </li>`,
      )}
    </ul>
  </nav>
`;
