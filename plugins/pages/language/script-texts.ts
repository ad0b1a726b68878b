import { createHash } from "node:crypto";
import { NotFound, type Reply, type Route, type Rowhouse } from "rowhouse/plugin-api";
import type { TextCatalogue } from "rowhouse/plugin-api/html";

/** Keys that begin with it are those of scripts in the browser. */
const PREFIX = "script.";

/** The texts of scripts in one language, as a script that pages in this language load first. */
export interface ScriptTexts {
  readonly script: string;
  /** Six hex digits of the script, so that new texts have a new address. */
  readonly digits: string;
}

/** Null for English, which scripts contain. */
export function scriptTexts(catalogues: readonly TextCatalogue[], language: string): ScriptTexts | null {
  if (language === "en") return null;
  const own = catalogues.filter((catalogue) => catalogue.language === language);
  const texts = Object.fromEntries(
    own.flatMap((catalogue) => Object.entries(catalogue.texts).filter(([key]) => key.startsWith(PREFIX))),
  );
  const script = `globalThis.rowhouseTexts=${JSON.stringify({ language, texts })};`;
  return { script, digits: createHash("sha256").update(script).digest("hex").slice(0, 6) };
}

/** The address of the texts of scripts. */
export const scriptTextsUrl = ({ urls }: Rowhouse, language: string, { digits }: ScriptTexts): string =>
  `${urls.path(`/-/texts/${language}.js`)}?${digits}`;

/** The script of each language. It contains no data, so that it needs no permission. */
export const scriptTextsRoute = (scriptOf: (language: string) => ScriptTexts | null): Route => ({
  name: "script-texts",
  path: /\/-\/texts\/(?<language>[A-Za-z0-9-]{2,35})\.js$/,
  target: "instance",
  view: ({ params, request }): Reply => {
    const found = scriptOf(params["language"] ?? "");
    if (found === null) throw new NotFound("404");
    const isCurrent = request.queryString === found.digits;
    return {
      status: 200,
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": isCurrent ? "max-age=31536000, immutable, public" : "no-cache",
        "x-content-type-options": "nosniff",
      },
      body: found.script,
    };
  },
});
