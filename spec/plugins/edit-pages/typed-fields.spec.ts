import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";

const SQL = `create table people (id integer primary key, name text, email text, home text, notes text);
  insert into people values (1, 'Ann', 'ann@example.org', 'https://example.org/', 'a'),
    (2, 'Bob', 'nobody', 'x', 'a' || char(10) || 'b'), (3, 'Cyd', 'Cyd@EXAMPLE.org', 'https://exämple.org/', null);`;
const METADATA = {
  databases: {
    library: { tables: { people: { column_types: { email: "email", home: "url", notes: "textarea" } } } },
  },
};

const people = (without: readonly string[] = []): Promise<TestRowhouse> =>
  rowhouseFor({ sql: SQL, metadata: METADATA, without });

const formOf = (rowhouse: TestRowhouse, path: string): Promise<TestReply> =>
  rowhouse.get(`/library/people/${path}`, { as: "root" });

/** The fields by their place: `email`, `textarea`. */
const kinds = ({ text }: TestReply): readonly string[] =>
  [...text.matchAll(/<(?:input type="(\w+)"|(textarea)) id="v\d+"/g)].map(
    ([, input, area]) => input ?? area ?? "",
  );

describe("The field of a typed column", () => {
  const forms = [
    ["-/new-row", ["text", "textarea", "email", "url", "textarea"]],
    ["1/-/edit", ["text", "textarea", "email", "url", "textarea"]],
    // Browsers would change values in another notation.
    ["2/-/edit", ["text", "textarea", "textarea", "textarea", "textarea"]],
    ["3/-/edit", ["text", "textarea", "textarea", "textarea", "textarea"]],
  ] as const;
  for (const [path, expected] of forms) {
    it(`fits its value at ${path}`, async () => {
      expect(kinds(await formOf(await people(), path))).to.deep.equal(expected);
    });
  }

  it("shows the type of the column", async () => {
    expect((await formOf(await people(), "-/new-row")).text).to.match(/email <small>text, email<\/small>/i);
  });

  it("is that of any column where types are switched off", async () => {
    const fields = kinds(await formOf(await people(["column-types"]), "1/-/edit"));

    expect(fields).to.deep.equal(["text", "textarea", "textarea", "textarea", "textarea"]);
  });

  it("shows the error in a value, and keeps the value", async () => {
    const rowhouse = await people();

    const reply = await rowhouse.post("/library/people/-/new-row", {
      as: "root",
      form: { v0: "", v1: "Dan", v2: "nobody@", v3: "", v4: "" },
    });

    expect(reply.status).to.equal(400);
    expect(reply.text).to.match(/<p class="field-note" id="e2">\s*not an e-mail address/);
    expect(reply.text).to.include("nobody@</textarea>");
  });

  it("asks about a text in a column of numbers, unless the table is strict", async () => {
    const sql = `create table loose (id integer primary key, n integer);
      create table tight (id integer primary key, n integer) strict`;
    const rowhouse = await rowhouseFor({ sql });
    const notes = await Promise.all(
      ["loose", "tight"].map(async (table) => {
        const form = { v1: "abc" };
        const { text } = await rowhouse.post(`/library/${table}/-/new-row`, { as: "root", form });
        return text.slice(text.indexOf('id="e1"')).replaceAll(/<[^>]*>|\s+/g, " ");
      }),
    );

    expect(notes[0]).to.match(/is not a number.*Save anyway/);
    expect(notes[1])
      .to.include("is not a number, but the column is declared as INTEGER.")
      .and.not.include("anyway");
  });
});
