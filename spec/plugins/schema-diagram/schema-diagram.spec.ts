import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table authors (id integer primary key, name text not null);
  create table genres (id integer primary key, name text);
  create table books (
    id integer primary key, title text, author_id integer references authors(id),
    genre_id integer references genres(id), sequel_to integer references books(id)
  );
  create table salaries (author_id integer primary key references authors(id), amount integer);
  create table notes (body text);
  create table pairs (one text, two text, primary key (one, two));
  create table uses (one text, two text, foreign key (one, two) references pairs (one, two));
  create view titles as select title from books;
  create table wide (${Array.from({ length: 60 }, (_, index) => `c${index} text`).join(", ")});
`;
const PATH = "/library/-/diagram";
const METADATA = { databases: { library: { tables: { salaries: { allow: { id: "root" } } } } } };

interface Table {
  readonly name: string;
  readonly path: string;
  readonly columns: readonly { readonly name: string }[];
  readonly foreign_keys: readonly object[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const overlap = (one: Box | null, other: Box | null): boolean =>
  one !== null &&
  other !== null &&
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describe("the diagram of a database", () => {
  it("lists the tables with their columns and references", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });
    const { json } = await rowhouse.get(`${PATH}.json`);
    const tables = json["tables"] as readonly Table[];
    const named = (name: string): Table | undefined => tables.find((table) => table.name === name);

    expect(json).to.include({ ok: true, database: "library", truncated: false });
    expect(named("authors")).to.deep.equal({
      name: "authors",
      path: "/library/authors",
      columns: [
        { name: "id", type: "INTEGER", primary_key: true, not_null: false },
        { name: "name", type: "TEXT", primary_key: false, not_null: true },
      ],
      foreign_keys: [],
    });
    expect(named("books")?.foreign_keys).to.have.deep.members([
      { columns: ["author_id"], other_table: "authors", other_columns: ["id"] },
      { columns: ["genre_id"], other_table: "genres", other_columns: ["id"] },
      { columns: ["sequel_to"], other_table: "books", other_columns: ["id"] },
    ]);
    expect(named("uses")?.foreign_keys).to.deep.equal([
      { columns: ["one", "two"], other_table: "pairs", other_columns: ["one", "two"] },
    ]);
    expect(named("titles")).to.equal(undefined);
  });

  it("contains nothing of tables and columns that the actor may not view", async () => {
    const hidesId = definePlugin({
      name: "hides-id",
      read_scope: (_rowhouse, { actor }) =>
        actor === null ? { table: "genres", hiddenColumns: ["id"] } : null,
    });
    const rowhouse = await rowhouseFor({ sql: SQL, metadata: METADATA, plugins: [hidesId] });
    const [seen, root] = [
      await rowhouse.get(`${PATH}.json`),
      await rowhouse.get(`${PATH}.json`, { as: { id: "root" } }),
    ];
    const page = await rowhouse.get(PATH);
    const books = (seen.json["tables"] as readonly Table[]).find(({ name }) => name === "books");

    expect(seen.text).not.to.include("salaries");
    expect(page.text).not.to.include("salaries");
    expect(books?.foreign_keys).to.deep.equal([
      { columns: ["sequel_to"], other_table: "books", other_columns: ["id"] },
      { columns: ["author_id"], other_table: "authors", other_columns: ["id"] },
    ]);
    expect(root.text).to.include("salaries");
  });

  it("is not hidden by a table named -, whose rows have their pages", async () => {
    const rowhouse = await rowhouseFor({
      sql: 'create table "-" (id integer primary key); insert into "-" values (1)',
    });

    expect((await rowhouse.get(PATH)).status).to.equal(200);
    expect((await rowhouse.get("/library/-/1.json")).json.rows).to.deep.equal([[1]]);
  });

  it("needs the permission to view the database", async () => {
    const rowhouse = await rowhouseFor({
      sql: SQL,
      metadata: { databases: { library: { allow: { id: "ann" } } } },
    });

    expect((await rowhouse.get(`${PATH}.json`)).status).to.equal(403);
    expect((await rowhouse.get(PATH, { as: { id: "ann" } })).status).to.equal(200);
    expect((await rowhouse.get("/nope/-/diagram")).status).to.equal(404);
  });

  it("leaves out tables without references first when there are too many", async () => {
    const many = Array.from({ length: 150 }, (_, index) => `create table t${index} (id integer);`).join("");
    const rowhouse = await rowhouseFor({ sql: many + SQL });
    const { json } = await rowhouse.get(`${PATH}.json`);
    const names = (json["tables"] as readonly Table[]).map(({ name }) => name);

    expect(json["truncated"]).to.equal(true);
    expect(names).to.have.length(150).and.include.members(["authors", "books", "genres", "pairs", "uses"]);
    expect((await rowhouse.get(PATH)).text).to.include("The first 150 tables");
  });

  describe("in a browser", () => {
    const session = inBrowser({ sql: SQL });

    it("has a line for each reference, and no table over another", async () => {
      const page = await session.open(PATH);
      await page.locator(".diagram-placed").waitFor();
      const tables = await page.locator(".diagram-table").all();
      const boxes = await Promise.all(tables.map(async (table) => table.boundingBox()));
      const overlapping = boxes.filter((box, index) =>
        boxes.slice(index + 1).some((other) => overlap(box, other)),
      );

      expect(await page.locator(".diagram path").count()).to.equal(6);
      expect(overlapping).to.deep.equal([]);
      expect(await page.locator("[data-table=wide] li").count()).to.equal(20);
      expect(await page.locator("[data-table=wide]").textContent()).to.include("and 40 more columns");
      expect(await violations(page)).to.deep.equal([]);
      expect(session.complaints).to.deep.equal([]);
    });

    it("marks the references of the table with the focus, and leads to it", async () => {
      const page = await session.open(PATH);
      await page.locator(".diagram-placed").waitFor();
      await page.locator("[data-table=genres] a").focus();

      expect(await page.locator("path.is-related").count()).to.equal(1);
      const related = await page.locator(".diagram-table.is-related").all();
      expect(await Promise.all(related.map((table) => table.getAttribute("data-table")))).to.have.members([
        "books",
        "genres",
      ]);

      await page.keyboard.press("Enter");
      await page.waitForURL("**/library/genres");
    });

    it("grows, shrinks and fits", async () => {
      const page = await session.open(PATH);
      await page.locator(".diagram-placed").waitFor();
      const width = async (): Promise<number> =>
        (await page.locator("[data-table=books]").boundingBox())?.width ?? 0;
      const first = await width();
      await page.click("text=+");
      const larger = await width();
      await page.click("text=Show all");
      const canvas = await page.locator(".diagram-canvas").boundingBox();
      const frame = await page.locator(".diagram").boundingBox();

      expect(larger).to.be.greaterThan(first);
      expect(canvas?.height).to.be.at.most((frame?.height ?? 0) + 1);
      expect(canvas?.width).to.be.at.most((frame?.width ?? 0) + 1);
    });

    it("is a list of tables and references without scripts", async () => {
      const page = await session.open(PATH, { scripting: false });

      expect(await page.locator("[data-table=books]").textContent()).to.match(
        /author_id\s+integer\s+refers to authors\.id/,
      );
      expect(await page.locator("[data-table=books] a").isVisible()).to.equal(true);
    });
  });
});
