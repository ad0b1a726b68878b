import { html, type Html } from "rowhouse/plugin-api";
import type { RecordedOpinion } from "rowhouse/plugin-api/access";
import type { Translator } from "rowhouse/plugin-api/html";

export const verdict = (t: Translator["t"], opinion: boolean): string =>
  opinion ? t("permissions.yes") : t("permissions.no");

/** The reasons are those of plugins, in English. */
export function opinionsMarkup(t: Translator["t"], opinions: readonly RecordedOpinion[]): Html {
  if (opinions.length === 0) return html`<p>${t("permissions.no_opinion")}</p>`;
  return html`<ul>
    ${opinions.map(
      (opinion) =>
        html`<li>
          ${sentence(t, opinion)}${opinion.because && html`: <span lang="en">${opinion.because}</span>`}
        </li>`,
    )}
  </ul>`;
}

const sentence = (t: Translator["t"], { plugin, allowed }: RecordedOpinion): string =>
  plugin === null
    ? t("permissions.says_default", { verdict: verdict(t, allowed) })
    : t("permissions.says", { verdict: verdict(t, allowed), plugin });

export function placeText(t: Translator["t"], resource: string | readonly string[]): string {
  if (resource.length === 0) return "";
  return t("permissions.on", { place: typeof resource === "string" ? resource : resource.join(" / ") });
}
