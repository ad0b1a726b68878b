import { html, type Html } from "./markup.js";

/**
 * A text with markup in place of its `{names}`, so that translators order the words around it. Names without markup
 * stay.
 *
 * @example
 * withMarkup("Use {option} or a file.", { option: html`<code>--port</code>` }).markup; // "Use <code>--port</code> or a file."
 */
export function withMarkup(text: string, parts: Readonly<Record<string, Html | string>>): Html {
  const pieces = text.split(/\{(\w+)\}/);
  return html`${pieces.map((piece, index) => (index % 2 === 0 ? piece : (parts[piece] ?? `{${piece}}`)))}`;
}
