import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const VALUES: readonly (readonly [told: string, sql: string])[] = [
  ["a text with line breaks of two kinds", "'a' || char(10) || 'b' || char(13, 10) || 'c'"],
  ["a text that begins with a line break", "char(10) || 'a'"],
  ["an integer beyond 2^53", "9223372036854775807"],
  ["a negative zero", "-0.0"],
  ["a text that is no UTF-8", "cast(x'ff61' as text)"],
  ["bytes", "x'ff'"],
  ["NULL", "null"],
  ["an empty text", "''"],
];

/** The fields as a browser sends them when nothing is touched: fields of one line without breaks, others with CR LF. */
function untouched(page: string): Record<string, string> {
  const form: Record<string, string> = {};
  for (const [, name = "", value = ""] of page.matchAll(/<textarea id="(v\d)"[^>]*>([^<]*)</g))
    form[name] = value.replace(/^\n/, "").replaceAll(/\r\n|\r|\n/g, "\r\n");
  for (const [, name = "", value = ""] of page.matchAll(/type="text" id="(v\d)"[^>]*?value="([^"]*)"/g))
    form[name] = value.replaceAll(/[\r\n]/g, "");
  for (const [, name = "", choice = ""] of page.matchAll(/<select name="(b\d)"[^>]*>([^]*?)<\/select>/g))
    form[name] = (/value="(\w+)"\s+selected/.exec(choice) ?? /value="(\w+)"/.exec(choice))?.[1] ?? "";
  form["version"] = (/name="version" value="([^"]*)"/.exec(page)?.[1] ?? "").replaceAll("&quot;", '"');
  return form;
}

/** What is said after a form for a new row, and where it leads. */
const added = async (rowhouse: TestRowhouse, table: string, form: Record<string, string>) => {
  const reply = await rowhouse.post(`/library/${table}/-/new-row`, { as: "root", form });
  const [, message = ""] = /rowhouse_messages=([^.;]+)/.exec(String(reply.headers["set-cookie"])) ?? [];
  return { place: reply.headers["location"], message: Buffer.from(message, "base64").toString() };
};

describe("a row that is edited", () => {
  for (const [told, sql] of VALUES)
    for (const type of ["text", "integer", ""]) {
      it(`keeps ${told} in a ${type === "" ? "column without type" : `column of type ${type}`}`, async () => {
        const rowhouse = await rowhouseFor({
          tables: { notes: `id integer primary key, value ${type}, other text` },
          sql: `insert into notes values (1, ${sql}, 'before')`,
        });
        const stored = () => rowhouse.query("select typeof(value), hex(value), other from notes");
        const [before] = await stored();
        const form = untouched((await rowhouse.get("/library/notes/1/-/edit", { as: "root" })).text);

        const reply = await rowhouse.post("/library/notes/1/-/edit", {
          as: "root",
          form: { ...form, v2: "after" },
        });

        expect(reply.status).to.equal(303);
        expect(await stored()).to.deep.equal([{ ...before, other: "after" }]);
      });
    }

  it("keeps numbers as numbers, and texts as texts, in a column without a type", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table loose (id integer primary key, value); insert into loose values (1, 7), (2, 7.5), (3, '7')",
    });
    for (const id of [1, 2, 3]) {
      const { text } = await rowhouse.get(`/library/loose/${id}/-/edit`, { as: "root" });
      const form = { ...untouched(text), v1: "8" };
      expect((await rowhouse.post(`/library/loose/${id}/-/edit`, { as: "root", form })).status).to.equal(303);
    }

    expect(await rowhouse.query("select typeof(value) as type from loose order by id")).to.deep.equal([
      { type: "integer" },
      { type: "integer" },
      { type: "text" },
    ]);
  });

  it("is not said to be saved if a trigger keeps it as it is", async () => {
    const rowhouse = await rowhouseFor({
      tables: { notes: "id integer primary key, value text" },
      sql: `insert into notes values (1, 'before');
        create trigger kept before update on notes when new.value = 'kept' begin select raise(ignore); end;`,
    });
    const page = await rowhouse.get("/library/notes/1/-/edit", { as: "root" });
    const said = async (v1: string) => {
      const form = { ...untouched(page.text), v1 };
      const { headers } = await rowhouse.post("/library/notes/1/-/edit", { as: "root", form });
      const [, message = ""] = /rowhouse_messages=([^.;]+)/.exec(String(headers["set-cookie"])) ?? [];
      return Buffer.from(message, "base64").toString();
    };

    expect(await said("kept"))
      .to.include("Nothing was changed")
      .and.not.include("Row saved");
    expect(await said("after")).to.include("Row saved");
  });

  it("is not said to be added if a trigger skips it", async () => {
    const rowhouse = await rowhouseFor({
      tables: { notes: "id integer primary key, value text" },
      sql: "create trigger skip before insert on notes when new.value = 'skipped' begin select raise(ignore); end;",
    });

    const { place, message } = await added(rowhouse, "notes", { v0: "", v1: "skipped" });
    expect(place).to.equal("/library/notes");
    expect(message).to.include("No row was added").and.not.include("Row added").and.not.include("undo");
    expect((await added(rowhouse, "notes", { v0: "", v1: "kept" })).message).to.include("Row added");
  });

  it("is not said to be added if the table does not have it afterwards", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table pairs (id text primary key) without rowid;
        create trigger remove after insert on pairs begin delete from pairs where id = new.id; end;
        create virtual table notes using fts5(value);
        create trigger skip_note before insert on notes_content begin select raise(ignore); end;
        create virtual table boxes using rtree(id, low, high);
        create trigger skip_box before insert on boxes_rowid begin select raise(ignore); end;
        create trigger skip_node before insert on boxes_node begin select raise(ignore); end;
        create virtual table words using fts5(value, content='texts', content_rowid='id');
        create table texts (id integer primary key, value text);`,
    });

    for (const [table, form] of [
      ["pairs", { v0: "a" }],
      ["notes", { v0: "a" }],
      ["boxes", { v0: "1", v1: "1", v2: "2" }],
      ["words", { v0: "a" }],
    ] as const) {
      const { place, message } = await added(rowhouse, table, form);
      expect(place, table).to.equal(`/library/${table}`);
      expect(message, table).to.include("The new row is not among the rows").and.not.include("Row added");
    }
  });
});
