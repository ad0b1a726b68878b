import type { TextCatalogue, Translator } from "../html/texts.js";
import type { Request } from "../http/request.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { isObject } from "../engine/values.js";
import type { Nothing } from "../kernel/hooks.js";
import { defineSettings, type SettingsOf } from "../kernel/settings.js";

/** The service `texts`: the texts of pages in the language of a reader. */
export interface Texts {
  /** The languages in which all texts of the pages exist. */
  readonly languages: readonly string[];
  /** True if pages of one address differ by the header `Accept-Language`. */
  readonly dependsOnRequest: boolean;
  of(request: Request): Translator;
}

const isTextOrPlural = (text: unknown): boolean =>
  typeof text === "string" ||
  (isObject(text) && "other" in text && Object.values(text).every((one) => typeof one === "string"));

const isCatalogue = (answer: unknown): boolean =>
  isObject(answer) &&
  typeof answer["language"] === "string" &&
  isObject(answer["texts"]) &&
  Object.values(answer["texts"]).every(isTextOrPlural);

/** The hooks about the languages of pages. The plugin pages owns them. */
export const textHooks = defineHooks({
  /** At start: texts of pages, for another language or for pages of the plugin. */
  register_texts: hook.collect<Nothing, TextCatalogue>({
    expects: {
      what: "a catalogue with language and texts, an object of texts or plurals by key",
      is: isCatalogue,
    },
    affects: "nothing",
  }),
});

/** The settings about the languages of pages. */
export const textSettings = defineSettings({
  language: {
    default: "auto",
    help: "Language of pages for readers who have not chosen one: auto (as the browser asks) or a code such as de",
    unlisted: true,
    check: (value) =>
      /^(?:auto|[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/.test(value)
        ? null
        : "must be auto or the code of a language",
  },
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof textHooks> {}
}

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof textSettings> {}
  interface Services {
    texts: Texts;
  }
}
