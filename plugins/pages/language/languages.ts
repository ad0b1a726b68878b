import type { Request, Rowhouse } from "rowhouse/plugin-api";
import { translator, type TextCatalogue, type Translator } from "rowhouse/plugin-api/html";
import type { Texts } from "rowhouse/plugin-api/contracts";
import { english } from "./english.js";
import { texts } from "./texts.js";
import { scriptTexts, type ScriptTexts } from "./script-texts.js";

/** The cookie with the language that a reader has chosen. */
export const LANGUAGE_COOKIE = "rowhouse_language";

/** Chooses the language of a request among those with texts of the pages. */
export class Languages implements Texts {
  readonly #translators = new Map<string, Translator>();
  /** A page asks for its texts in many places. */
  readonly #byRequest = new WeakMap<Request, Translator>();
  readonly #scripts = new Map<string, ScriptTexts | null>();
  #catalogues: readonly TextCatalogue[] = texts;
  /** Those with a text for each of the pages. */
  languages: readonly string[] = completeLanguages(texts);

  constructor(private readonly rowhouse: Rowhouse) {}

  /** Adds the texts of plugins. */
  async collect(): Promise<void> {
    const further = await this.rowhouse.hooks.register_texts.promise([], this.rowhouse, {});
    this.#catalogues = [...texts, ...further];
    this.languages = completeLanguages(this.#catalogues);
    this.#translators.clear();
    this.#scripts.clear();
  }

  of(request: Request): Translator {
    const known = this.#byRequest.get(request);
    if (known !== undefined) return known;
    const made = this.#translatorOf(this.#languageOf(request));
    this.#byRequest.set(request, made);
    return made;
  }

  /** The texts of scripts; null for English, and for languages that are not offered. */
  scriptOf(language: string): ScriptTexts | null {
    const known = this.#scripts.get(language);
    if (known !== undefined || !this.languages.includes(language)) return known ?? null;
    const made = scriptTexts(this.#catalogues, language);
    this.#scripts.set(language, made);
    return made;
  }

  /** English, for pages whose texts are not in the catalogue. */
  get english(): Translator {
    return this.#translatorOf("en");
  }

  #translatorOf(language: string): Translator {
    const made = this.#translators.get(language) ?? translator(this.#catalogues, language);
    this.#translators.set(language, made);
    return made;
  }

  /** The chosen language: that of the cookie, else of the setting, else of `Accept-Language`, else English. */
  #languageOf({ cookies, headers }: Request): string {
    const { languages } = this;
    const setting = this.rowhouse.setting("language");
    const wanted = [
      cookies.get(LANGUAGE_COOKIE),
      ...(setting === "auto" ? accepted(headers["accept-language"]) : [setting]),
    ];
    for (const one of wanted) {
      const found =
        languages.find((name) => name === one) ?? languages.find((name) => name === one?.split("-", 1)[0]);
      if (found !== undefined) return found;
    }
    return "en";
  }

  get dependsOnRequest(): boolean {
    return this.rowhouse.setting("language") === "auto" && this.languages.length > 1;
  }
}

function completeLanguages(catalogues: readonly TextCatalogue[]): readonly string[] {
  const names = [...new Set(catalogues.map(({ language }) => language))];
  return names.filter((name) => {
    const keys = new Set(
      catalogues.filter(({ language }) => language === name).flatMap(({ texts }) => Object.keys(texts)),
    );
    return Object.keys(english).every((key) => keys.has(key));
  });
}

/** The languages of a header in the order of their weight. */
function accepted(header = ""): readonly string[] {
  return header
    .split(",", 20)
    .map((part) => {
      const [name = "", weight = "q=1"] = part.split(";", 2).map((text) => text.trim());
      return { name, weight: Number(weight.replace(/^q=/, "")) };
    })
    .filter(({ name, weight }) => /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(name) && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ name }) => name);
}
