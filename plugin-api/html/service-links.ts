import { html, type Html } from "./markup.js";

/** A page of a group, and the text of the link to it. */
export interface ServiceLink {
  readonly href: string;
  readonly label: string;
}

/**
 * Links between the pages of a group about the server, such as those about permissions.
 *
 * @example
 * const pages = [{ href: "/-/plugins", label: "Plugins" }];
 * serviceLinks("About this server", pages, "/-/plugins").markup.includes('aria-current="page"'); // true
 * @param label the name of the group for assistive technology
 * @param current the `href` of the page that is shown
 */
export const serviceLinks = (label: string, pages: readonly ServiceLink[], current: string): Html =>
  html`<nav class="service-links" aria-label="${label}">
    <ul>
      ${pages.map(
        ({ href, label: text }) =>
          html`<li><a href="${href}" ${href === current && html`aria-current="page"`}>${text}</a></li>`,
      )}
    </ul>
  </nav>`;
