import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

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
    const added = async (v1: string) => {
      const reply = await rowhouse.post("/library/notes/-/new-row", { as: "root", form: { v0: "", v1 } });
      const [, message = ""] = /rowhouse_messages=([^.;]+)/.exec(String(reply.headers["set-cookie"])) ?? [];
      return [reply.headers["location"], Buffer.from(message, "base64").toString()];
    };

    const [place, message] = await added("skipped");
    expect(place).to.equal("/library/notes");
    expect(message).to.include("No row was added").and.not.include("Row added").and.not.include("undo");
    expect((await added("kept"))[1]).to.include("Row added");
  });
});
