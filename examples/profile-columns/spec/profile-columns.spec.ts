import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import profileColumns from "rowhouse-plugin-profile-columns";

const PROFILE = "/library/books/-/profile";
const books = [
  { id: 1, language: "en", note: "<b>first</b>" },
  { id: 2, language: "en", note: null },
  { id: 3, language: "fr", note: null },
];

const onlyEnglish = definePlugin({
  name: "only-english",
  read_scope: () => ({ table: "books", where: "language = 'en'", hiddenColumns: ["note"] }),
});

describe("profile-columns", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { books }, plugins: [profileColumns] });
  });

  it("counts empty and different values, and the most frequent ones", async () => {
    const { json } = await rowhouse.get(`${PROFILE}.json`);

    expect(json.count).to.equal(3);
    expect(json.columns[1]).to.deep.equal({
      column: "language",
      filled: 3,
      distinct: 2,
      least: "en",
      most: "fr",
      frequent: [
        { value: "en", count: 2 },
        { value: "fr", count: 1 },
      ],
    });
  });

  it("has a page with a style sheet, linked from the menu of a table", async () => {
    const { text } = await rowhouse.get(PROFILE);
    const css = /href="([^"]*profile\.css[^"]*)"/.exec(text)?.[1] ?? "";

    expect(text).to.include("&lt;b&gt;first&lt;/b&gt;");
    expect((await rowhouse.get(css)).headers["content-type"]).to.include("text/css");
    expect((await rowhouse.get("/library/books")).text).to.include(`href="${PROFILE}"`);
  });

  it("leaves out rows and columns that are hidden from the actor", async () => {
    const narrowed = await rowhouseFor({ tables: { books }, plugins: [profileColumns, onlyEnglish] });

    const { json } = await narrowed.get(`${PROFILE}.json`);

    expect(json.count).to.equal(2);
    expect(json.columns.map(({ column }: { column: string }) => column)).to.deep.equal(["id", "language"]);
    expect(json.columns[1].distinct).to.equal(1);
  });

  it("needs the permission to view the table", async () => {
    const metadata = { databases: { library: { tables: { books: { allow: { id: "root" } } } } } };
    const closed = await rowhouseFor({ tables: { books }, plugins: [profileColumns], metadata });

    expect((await closed.get(PROFILE)).status).to.equal(403);
  });
});
