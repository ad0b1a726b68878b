import { expect } from "chai";
import { rowhouseFor } from "../harness/index.js";

const contents = {
  sql: `create table books (id integer primary key, title text, secret text);
    insert into books values (1, 'Emma', 'x');
    create virtual table books_fts using fts5(title, content="books");
    insert into books_fts (rowid, title) values (1, 'Emma');`,
};

describe("Text that is searched for", () => {
  const TEXTS = [
    '"',
    "NEAR(",
    "*",
    "secret:x",
    "title:",
    "^",
    "(",
    "a OR",
    "AND",
    "NOT",
    "-",
    "'",
    "\0",
    "{",
    Array.from({ length: 800 }, () => "a").join(" OR "),
  ];
  for (const text of TEXTS) {
    for (const mode of ["", "&_searchmode=raw"]) {
      it(`finds something, nothing, or is refused${mode === "" ? "" : " in raw mode"}: ${JSON.stringify(text.slice(0, 20))}`, async () => {
        const rowhouse = await rowhouseFor(contents);

        const { status } = await rowhouse.get(
          `/library/books.json?_search=${encodeURIComponent(text)}${mode}`,
        );

        expect([200, 400]).to.include(status);
      });
    }
  }
});
