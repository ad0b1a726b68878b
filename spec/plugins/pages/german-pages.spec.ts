import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { definePlugin, type Permission } from "rowhouse/plugin-api";
import type { Text } from "rowhouse/plugin-api/html";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { METADATA, PATHS, SQL } from "../../browser/pages.js";
import { english } from "../../../plugins/pages/language/english.js";
import { german } from "../../../plugins/pages/language/german.js";

/** Pages with English content, which is marked: those for developers. */
const ENGLISH = /^(?:\/library)?\/-\/(?:openapi|patterns)\b/;

const wordsOf = (texts: readonly Text[]): readonly string[] =>
  texts.flatMap(
    (text) =>
      JSON.stringify(text)
        .toLowerCase()
        .replaceAll(/\{\w+\}/g, "")
        .match(/\p{L}{3,}/gu) ?? [],
  );

/** Texts, and attributes that are read: without code, names, and cells with values, which have attributes. */
function textsIn(page: string): ReadonlySet<string> {
  const markup = page
    .replaceAll(/<(script|style|svg|pre|code|textarea|title)\b[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<td [^>]*>[\s\S]*?<\/td>/g, "")
    .replaceAll(/<(\w+)[^>]* dir="auto"[^>]*>[^<]*<\/\1>/g, "")
    .replaceAll(/<(\w+)[^>]* lang="en"[^>]*>[\s\S]*?<\/\1>/g, "");
  const attributes = [...markup.matchAll(/ (?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(
    ([, text]) => text ?? "",
  );
  return new Set([...attributes, ...markup.split(/<[^>]*>/)].map((text) => text.trim()));
}

describe("pages of several steps in German", () => {
  const inGerman = { "accept-language": "de" };
  const asJson = { ...inGerman, "content-type": "application/json" };
  let folder = "";
  let rowhouse: TestRowhouse;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-language-"));
    rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }, { id: 2 }] },
      options: { internal: join(folder, "internal.db") },
    });
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const germanPage = async (path: string): Promise<string> => {
    const { text, status } = await rowhouse.get(path, { as: "root", headers: inGerman });
    expect(status, path).to.equal(200);
    expect(text, path).to.not.match(/<main[^>]* lang="en"/);
    return text;
  };
  const submit = (path: string, form: Record<string, string>) =>
    rowhouse.post(path, { as: "root", headers: inGerman, form });
  /** The page after a form, which shows its message. */
  const messageAfter = async (path: string, form: Record<string, string>): Promise<string> => {
    const { headers } = await submit(path, form);
    const [cookie = ""] = /rowhouse_messages=[^;]+/.exec(String(headers["set-cookie"])) ?? [];
    return (await rowhouse.get("/", { headers: { ...inGerman, cookie } })).text;
  };

  it("write numbers of cells and facets as their texts do, and their links as stored", async () => {
    const { get } = await rowhouseFor({
      sql: "create table sales (id integer primary key, amount real, pieces integer, picture blob); insert into sales values (12345, 12345.5, 12345678, zeroblob(2048)), (2, 0.25, 7, null)",
    });
    const page = async (path: string, language: string) =>
      (await get(path, { headers: { "accept-language": language } })).text;

    const german = await page("/library/sales?_facet=amount", "de");
    for (const shown of [
      '<span title="12345.5">12.345,50</span>',
      '<span title="0.25">0,25</span>',
      '<span title="12345678">12.345.678</span>',
      "&lt;Binär:&nbsp;2.048&nbsp;Byte&gt;",
      'href="/library/sales/12345">12345</a>',
    ])
      expect(german).to.include(shown);
    expect(german).to.match(/amount=12345\.5[^>]*>12\.345,50</);
    expect(await page("/library/sales/12345", "de")).to.include(">12.345,5<");
    expect(await page("/library?sql=select+12345.5+as+amount", "de")).to.include(">12.345,5<");
    expect(await page("/library/sales", "en")).to.include('<span title="12345.5">12,345.50</span>');
  });

  it("have saved views and dashboards, and their messages", async () => {
    const view = { name: "Neue", fragment: "chart=bar&x=id" };
    const saved = await rowhouse.post("/library/books/-/views", {
      as: "root",
      headers: asJson,
      body: JSON.stringify(view),
    });
    const made = await submit("/-/dashboards", { name: "Alle" });
    const path = new URL(String(made.headers["location"]), rowhouse.origin).pathname;
    const empty = await germanPage(path);
    await submit(path, { action: "add", view: saved.json.view.id });

    expect(await germanPage("/library/books/-/views"))
      .to.include("Gespeicherte Ansichten von books")
      .and.include('aria-label="Neue löschen"');
    expect(empty).to.include("Hier gibt es noch kein Diagramm.");
    expect(await germanPage(path))
      .to.include("sichtbar für: nur Sie")
      .and.include('aria-label="Neue entfernen"');
    expect(await germanPage("/-/dashboards")).to.include("Dashboard anlegen");
    expect(await messageAfter(`${path}/delete`, {})).to.include("Das Dashboard Alle ist gelöscht");
    expect(await messageAfter(`/library/books/-/views/${saved.json.view.id}/delete`, {})).to.include(
      "Die Ansicht Neue ist gelöscht",
    );
  });

  it("have the API explorer, around replies in English", async () => {
    expect(await germanPage("/-/api?path=/library/nowhere.json"))
      .to.match(/Antwort <span class="status status-bad">404/)
      .and.include("Table not found")
      .and.include("1 Tabelle oder Sicht")
      .and.include(">Zeilen einfügen oder ändern</a>");
  });

  it("have checks, and mark errors of the API as English", async () => {
    const structure = "/library/books/-/structure";
    const refused = await submit(structure, { part: "new-check", expression: "nothing > 0" });

    expect(await germanPage(structure))
      .to.include("<h2>Bedingungen</h2>")
      .and.include(">Hinzufügen</button>");
    expect(await germanPage("/library/-/new-table")).to.include("eine pro Zeile: <code>price");
    expect(refused.status).to.equal(400);
    expect(refused.text).to.match(/role="alert">\s*<p lang="en">/);
    expect(await messageAfter(structure, { part: "new-check", expression: "id > 0" })).to.include(
      "Bedingung hinzugefügt",
    );
  });

  it("have errors of an import, and the texts of its steps", async () => {
    const pasted = await submit("/library/books/-/import", { text: "" });
    const refused = await submit("/library/books/-/import", { text: "none\n1\n" });
    const script = await rowhouse.get("/-/texts/de.js");

    expect(pasted.text).to.match(/role="alert">\s*<p\s*>Bitte zuerst die Zeilen einfügen/);
    expect(refused.text).to.match(/role="alert">\s*<p lang="en">/);
    expect(script.text).to.include('"script.import.primary_key":"Primärschlüssel"');
  });
});

describe("pages in German", () => {
  let rowhouse: TestRowhouse;
  let plain: ReadonlySet<string>;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-german-"));
    rowhouse = await rowhouseFor({
      sql: SQL,
      metadata: METADATA,
      options: { internal: join(folder, "internal.db") },
    });
    const ofPlugins = await rowhouse.rowhouse.hooks.register_texts.promise([], rowhouse.rowhouse, {});
    const textsOf = (language: string, own: Readonly<Record<string, Text>>): readonly Text[] => [
      ...Object.values(own),
      ...ofPlugins.filter((one) => one.language === language).flatMap(({ texts }) => Object.values(texts)),
    ];
    const alsoGerman = new Set(wordsOf(textsOf("de", german)));
    plain = new Set(wordsOf(textsOf("en", english)).filter((word) => !alsoGerman.has(word)));
  });

  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const pageIn = async (path: string, language: string): Promise<string> =>
    (await rowhouse.get(path, { as: { id: "root" }, headers: { "accept-language": language } })).text;

  it("have no text in English", async () => {
    const left: string[] = [];
    for (const path of [...PATHS, "/-/audit", "/-/audit?event=insert-rows"]) {
      const page = await pageIn(path, "de");
      if (/<main[^>]* lang="en"/.test(page) !== ENGLISH.test(path)) left.push(`${path}: lang`);
      if (ENGLISH.test(path)) continue;
      const inEnglish = textsIn(await pageIn(path, "en"));
      for (const text of textsIn(page))
        if (inEnglish.has(text) && wordsOf([text]).some((word) => plain.has(word)))
          left.push(`${path}: ${text}`);
    }

    expect(left).to.deep.equal([]);
  }).timeout(60_000);

  const wantsGerman = { "accept-language": "de" };

  it("say in German what a token may do, and in English in JSON", async () => {
    const form = { name: "nightly", "all:view-instance": "1", "resource:library:books:insert-row": "1" };
    const made = await rowhouse.post("/-/create-token", { as: "ann", headers: wantsGerman, form });
    const wrong = { expire_type: "days", expire_duration: "x" };
    const refused = await rowhouse.post("/-/create-token", { as: "ann", headers: wantsGerman, form: wrong });
    const list = await rowhouse.get("/-/tokens", { as: "ann", headers: wantsGerman });
    const jump = await rowhouse.get("/-/jump.json?q=nightly", { as: "ann", headers: wantsGerman });
    const actions = await rowhouse.get("/-/actions.json", { as: "root", headers: wantsGerman });

    expect(made.text)
      .to.include("Ihr API-Token")
      .and.match(/Zeilen hinzufügen\s+<code>insert-row/);
    expect(refused.text).to.include("Die Dauer der Gültigkeit ist ungültig");
    expect(list.text)
      .to.match(/überall<\/span>:\s+Rowhouse-Instanz ansehen/)
      .and.include('aria-label="nightly widerrufen"');
    expect(jump.json.matches[0]).to.include({ kind: "token", detail: "Ihr API-Token" });
    expect(actions.json[0].description).to.equal("View Rowhouse instance");
  });

  it("show messages in German", async () => {
    const messageAfter = async (path: string, as: string, form: Record<string, string>): Promise<string> => {
      const { headers } = await rowhouse.post(path, { as, headers: wantsGerman, form });
      const [cookie = ""] = /rowhouse_messages=[^;]+/.exec(String(headers["set-cookie"])) ?? [];
      return (await rowhouse.get("/", { headers: { ...wantsGerman, cookie } })).text;
    };
    await rowhouse.post("/-/create-token", { as: "ben", form: { name: "weekly" } });
    const { json } = await rowhouse.get("/-/tokens.json", { as: "ben" });

    expect(await messageAfter("/-/tokens", "ben", { id: json.tokens[0].id })).to.include(
      "Das Token weekly ist widerrufen",
    );
    expect(await messageAfter("/-/logout", "ann", {})).to.include("Sie sind jetzt abgemeldet");
    expect(await messageAfter("/library/add", "root", { name: "Brief" })).to.include(
      "Abfrage ausgeführt, 1 Zeile betroffen",
    );
  });

  it("mark as English what plugins say in English", async () => {
    const printRows: Permission = {
      name: "print-rows",
      abbr: null,
      description: "Print rows",
      takes_database: false,
      takes_resource: false,
      default: false,
    };
    const printer = definePlugin({ name: "printer", register_permissions: () => printRows });
    const extended = await rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins: [printer] });
    const text = async (path: string): Promise<string> =>
      (await extended.get(path, { as: "root", headers: wantsGerman })).text;

    for (const path of ["/-/actions", "/-/actor", "/-/create-token"])
      expect(await text(path), path).to.include('<span lang="en">Print rows</span>');
    expect(await text("/-/settings?q=language")).to.match(/<p class="hint" lang="en">Language of pages/);
    expect(await text("/-/check?actor=null&action=view-table&parent=_internal")).to.match(
      /✗ nein \(permissions\): <span lang="en">the internal database/,
    );
  });
});
