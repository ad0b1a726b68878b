import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

const UNWRITABLE = ["sqlite_sequence", "notes_content", "all_books"];

describe("Tables that no client can write", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table books (id integer primary key autoincrement, title text);
        insert into books (title) values ('Emma');
        create virtual table notes using fts5(note);
        insert into notes values ('first');`,
      views: { all_books: "select * from books" },
    });
  });

  for (const table of UNWRITABLE) {
    it(`have no links to forms: ${table}`, async () => {
      const pages = [`/library/${table}`, ...(table === "all_books" ? [] : [`/library/${table}/1`])];
      for (const path of pages) {
        const { status, text } = await rowhouse.get(path, { as: "root" });

        expect(status).to.equal(200);
        expect(text).not.to.match(/\/-\/(new-row|import|structure|remove|edit)"|data-paste-rows/);
      }
    });

    it(`have no forms: ${table}`, async () => {
      for (const form of ["new-row", "import", "structure", "remove", "1/-/edit", "1/-/remove"]) {
        const path = `/library/${table}/${form.includes("/") ? form : `-/${form}`}`;
        const { status, text } = await rowhouse.get(path, { as: "root" });

        expect(status, path).to.equal(404);
        if (table !== "all_books") expect(text, path).to.include("This table can&#39;t be changed");
      }
    });

    it(`have no writes in the OpenAPI document and the API explorer: ${table}`, async () => {
      const { json } = await rowhouse.get("/-/openapi.json", { as: "root" });
      const { text } = await rowhouse.get("/-/api", { as: "root" });

      const posts = Object.entries(json.paths as Record<string, object>).flatMap(([path, item]) =>
        "post" in item ? [path] : [],
      );
      expect(posts).to.include("/library/books/-/insert");
      // Rows are read by many keys with POST.
      expect(
        posts.filter((path) => path.startsWith(`/library/${table}`) && !path.endsWith("/-/rows")),
      ).to.deep.equal([]);
      expect(text).to.include("%2Flibrary%2Fbooks%2F-%2Finsert").and.not.include(`%2F${table}%2F-%2F`);
    });
  }
});
