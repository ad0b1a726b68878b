import { readFile, readdir } from "node:fs/promises";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { translator, type Text, type TextCatalogue } from "rowhouse/plugin-api/html";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { english } from "../../../plugins/pages/language/english.js";
import { german } from "../../../plugins/pages/language/german.js";

const PAGES = "plugins/pages";
/** The example page of all elements, for authors of templates, is English. */
const NOT_TRANSLATED = ["patterns.html"];
const tables = { books: [{ id: 1 }, { id: 2 }] };

/** Files with texts by key. */
const CATALOGUES = /(?:texts?|texts\/.*|(?:english|german)[a-z-]*)\.ts$/;

const readText = (file: string): Promise<string> => readFile(file, "utf8");
const templateOf = (name: string): Promise<string> => readText(`${PAGES}/templates/${name}`);

const NAMES: ReadonlySet<string> = new Set(["Rowhouse", "SQL", "json", "JSON", "CSV"]);

/** The texts in a template that are not printed by code. */
function plainTexts(template: string): readonly string[] {
  const classes = /<% block\("body_class"[\s\S]*?<% \}\) %>/g;
  const markup = template
    .replaceAll(classes, "")
    .replaceAll(/<%[\s\S]*?%>/g, "")
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, "");
  const named = [...markup.matchAll(/(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(
    ([, text]) => text ?? "",
  );
  const between = markup.replaceAll(/<[^>]*>/g, "\n").split("\n");
  return [...named, ...between]
    .map((text) => text.replaceAll(/&#?\w+;/g, "").trim())
    .filter((text) => !NAMES.has(text) && /\p{L}{2}/u.test(text));
}

/** The `{names}` in all forms of a text. */
const names = (text: unknown): readonly string[] =>
  [...new Set(JSON.stringify(text).match(/\{[a-z]+\}/g) ?? [])].toSorted();

const brings = (language: string, given: Readonly<Record<string, string>>) =>
  definePlugin({ name: `texts-${language}`, register_texts: () => ({ language, texts: given }) });

describe("the texts of pages", () => {
  let catalogues: readonly TextCatalogue[];
  before(async () => {
    const { rowhouse } = await rowhouseFor({ tables });
    const ofPlugins = await rowhouse.hooks.register_texts.promise([], rowhouse, {});
    catalogues = [{ language: "en", texts: english }, { language: "de", texts: german }, ...ofPlugins];
  });
  const textsOf = (language: string): Readonly<Record<string, Text>> =>
    Object.assign({}, ...catalogues.filter((one) => one.language === language).map(({ texts }) => texts));

  it("are all in the catalogue, in the templates of pages", async () => {
    const names = (await readdir(`${PAGES}/templates`)).filter((name) => !NOT_TRANSLATED.includes(name));
    expect(names).to.include("table.html");
    for (const name of names) expect(plainTexts(await templateOf(name)), name).to.deep.equal([]);
  });

  it("exist for each key that is used, and each is used", async () => {
    const files = (await readdir("plugins", { recursive: true }))
      .filter((name) => /\.(?:ts|html)$/.test(name) && !CATALOGUES.test(name))
      .map((name) => `plugins/${name}`);
    const code = (
      await Promise.all(
        [
          ...files,
          "plugin-api/browser/announce.ts",
          "plugin-api/browser/documents.ts",
          "plugin-api/browser/load-part.ts",
          "plugin-api/browser/refresh.ts",
          "plugin-api/html/permission-words.ts",
        ].map(readText),
      )
    ).join("\n");
    const used = [...code.matchAll(/\b(?:t|frame_t)\(\s*"([a-z_]+(?:\.[a-z_]+)+)"/g)].map(([, key]) => key);
    const known = Object.keys(textsOf("en"));

    expect(used.filter((key) => !known.includes(key ?? ""))).to.deep.equal([]);
    // Such as `script.chart.step_${name}`.
    const beginnings = [...code.matchAll(/`([a-z]+\.[a-z_.]*)\$\{/g)].map(([, beginning]) => beginning ?? "");
    const isUsed = (key: string): boolean =>
      code.includes(`"${key}"`) || beginnings.some((beginning) => key.startsWith(beginning));
    expect(known.filter((key) => !isUsed(key))).to.deep.equal([]);
  });

  it("have the same values and keys in each language", () => {
    const [inEnglish, inGerman] = [textsOf("en"), textsOf("de")];
    expect(Object.keys(inGerman).toSorted()).to.deep.equal(Object.keys(inEnglish).toSorted());
    const all = catalogues
      .filter(({ language }) => language === "en")
      .flatMap(({ texts }) => Object.keys(texts));
    expect(all.filter((key, index) => all.indexOf(key) !== index)).to.deep.equal([]);
    for (const [key, text] of Object.entries(inEnglish))
      expect(names(inGerman[key]), key).to.deep.equal(names(text));
  });

  it("have plural forms and numbers of their language, and English where a text is missing", () => {
    const polish = {
      language: "pl",
      texts: { "a.rows": { one: "{count} wiersz", few: "{count} wiersze", other: "{count} wierszy" } },
    };
    const { t } = translator([{ language: "en", texts: { "a.only": "Only {name}" } }, polish], "pl");

    expect([1, 3, 5].map((count) => t("a.rows", { count }))).to.deep.equal([
      "1 wiersz",
      "3 wiersze",
      "5 wierszy",
    ]);
    expect(t("a.only", { name: "<b>" })).to.equal("Only <b>");
    expect(t("a.missing")).to.equal("a.missing");
    expect(translator([], "de").t("x {count}", {})).to.equal("x {count}");
  });
});

describe("the language of pages", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables });
  });
  const german = { "accept-language": "fr;q=0.9, de-AT, en;q=0.5" };

  it("is that of Accept-Language, with the right lang and Vary", async () => {
    const { text, headers } = await rowhouse.get("/", { headers: german });

    expect(text)
      .to.include('<html lang="de">')
      .and.include("1 Tabelle mit 2 Zeilen")
      .and.include("Betrieben mit");
    expect(text).to.include("Springen zu…").and.not.include('<main id="content" class="content" lang');
    expect(headers["vary"]).to.match(/Accept-Language/);
    expect((await rowhouse.get("/.json", { headers: german })).headers["vary"]).to.not.match(
      /Accept-Language/,
    );
  });

  it("is found in linear time, whatever the header is", async () => {
    const rowhouse = await rowhouseFor({ tables });
    await rowhouse.get("/");
    const began = performance.now();
    const { text } = await rowhouse.get("/", {
      headers: { "accept-language": `de,a${"\t ".repeat(30_000)}b` },
    });

    expect(text).to.contain('lang="de"');
    expect(performance.now() - began).to.be.below(700);
  });

  it("has its direction, and pages without a translation that of English inside it", async () => {
    const hebrew = await rowhouseFor({
      tables,
      plugins: [brings("he", english as unknown as Record<string, string>)],
    });
    const headers = { "accept-language": "he-IL" };

    expect((await hebrew.get("/", { headers })).text).to.include('<html lang="he" dir="rtl">');
    expect((await hebrew.get("/-/patterns", { headers })).text).to.include(
      '<main id="content" class="content" lang="en" dir="ltr">',
    );
    expect((await hebrew.get("/")).text).to.include('<html lang="en">');
  });

  it("is English for other readers, and in the content of pages without a translation", async () => {
    const page = await rowhouse.get("/");
    const patterns = await rowhouse.get("/-/patterns", { headers: german });

    expect(page.text).to.include('<html lang="en">').and.include("2 rows in 1 table");
    expect(patterns.text)
      .to.include('<html lang="de">')
      .and.include('<main id="content" class="content" lang="en">');
    expect(patterns.text).to.include("Zum Inhalt springen").and.include("Headings and text");
  });

  it("is that of the time that queries took", async () => {
    const english = await rowhouse.get("/library/books");
    const { text } = await rowhouse.get("/library/books", { headers: german });

    expect(english.text).to.match(/Queries took \d+\.\d{3}ms/);
    expect(text).to.match(/Abfragen dauerten \d+,\d{3} ms/);
  });

  it("is that of the page of a database, with the texts of its lists", async () => {
    const metadata = { databases: { library: { tables: { books: { allow: { id: "ann" } } } } } };
    const closed = await rowhouseFor({ tables, metadata });
    const { text } = await closed.get("/library", { as: "ann", headers: german });

    expect(text).to.include("Eigene SQL-Abfrage").and.include("2 Zeilen").and.include(">Tabellen<");
    expect(text).to.include('title="Nicht sichtbar für anonyme Besucher"').and.include("SQL ausführen");
    expect((await closed.get("/library", { as: "ann" })).text).to.include(
      'title="Not visible to anonymous visitors"',
    );
  });

  it("is part of the entity tag", async () => {
    const one = await rowhouse.get("/library/books");
    const other = await rowhouse.get("/library/books", { headers: german });
    const tag = String(one.headers["etag"]);

    expect(other.headers["etag"]).to.be.a("string").and.not.equal(tag);
    const again = await rowhouse.get("/library/books", { headers: { ...german, "if-none-match": tag } });
    expect(again.status).to.equal(200);
    expect(again.text).to.include('<html lang="de">');
  });

  it("is chosen on a page and kept in a cookie, which overrides the header", async () => {
    const chosen = await rowhouse.post("/-/language", { form: { language: "de" } });
    const cookie = String(chosen.headers["set-cookie"]).split(";", 1)[0] ?? "";
    const unknown = await rowhouse.post("/-/language", { form: { language: "xx" } });

    expect(cookie).to.equal("rowhouse_language=de");
    const page = await rowhouse.get("/-/language", { headers: { cookie, "accept-language": "en" } });
    expect(page.text)
      .to.include("Sprache der Seiten")
      .and.match(/<option value="de" lang="de" selected/);
    expect(String(unknown.headers["set-cookie"])).to.include("Max-Age=0");
  });

  it("is that of errors and of the pages that sign out", async () => {
    const missing = await rowhouse.get("/nowhere", { headers: german });
    const logout = await rowhouse.get("/-/logout", { as: "ann", headers: german });

    expect(missing.status).to.equal(404);
    expect(missing.text)
      .to.match(/role="alert" dir="auto" lang="en">/)
      .and.include("Andere Seiten");
    expect(logout.text).to.include("Sie sind angemeldet als").and.include("<title>Abmelden</title>");
  });

  it("is fixed by the setting, and needs no Vary then", async () => {
    const fixed = await rowhouseFor({ tables, settings: { language: "de" } });
    const { text, headers } = await fixed.get("/library/books", { headers: { "accept-language": "en" } });

    expect(text).to.include('<html lang="de">');
    expect(headers["vary"]).to.not.match(/Accept-Language/);
  });

  it("is one that a plugin brings, if it has all texts of the pages", async () => {
    const texts = Object.fromEntries(Object.keys(english).map((key) => [key, `<fr> ${key}`]));
    const plugins = [brings("fr", texts), brings("it", { "frame.skip": "Vai al contenuto" })];
    const extended = await rowhouseFor({ tables, plugins });
    const page = await extended.get("/", { headers: { "accept-language": "it, fr-CH" } });

    expect(page.text).to.include('<html lang="fr">').and.include("&lt;fr&gt; frame.skip");
    expect(page.text).to.not.include("<fr>");
  });
});
