import { expect } from "chai";
import { inBrowser } from "../../browser/session.js";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create type mood as enum ('sad', 'it''s ok', 'happy');
  create table people (
    id int primary key, feels mood, state text check (state in ('new', 'so]ld, ''x''')), "Kind of" varchar(9) check ("Kind of" in ('a', 'b')),
    grade int check (grade in (1, 20)), other text check (other in ('a', 'b') or id > 5));`;

describePostgres("the form of a row on PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  it("has menus for enumerated types and for columns with allowed values", async () => {
    const { text } = await rowhouse.get("/shop/people/-/new-row", { as: "root" });
    const menus = [...text.matchAll(/<select[^>]* name="v(\d)"[^>]*>(.*?)<\/select>/gs)].map(
      ([, index, options = ""]) => [
        Number(index),
        [...options.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value),
      ],
    );

    expect(menus).to.deep.equal([
      [1, ["sad", "it&#39;s ok", "happy"]],
      [2, ["new", "so]ld, &#39;x&#39;"]],
      [3, ["a", "b"]],
      [4, ["1", "20"]],
    ]);
  });

  it("makes NULL of an empty field if the type has no empty text", async () => {
    await rowhouse.rowhouse.database("shop").write((transaction) =>
      transaction.run(`create table events (
        id int primary key, day date, at timestamptz, code uuid, data jsonb, tags text[], lasted interval, price money,
        place point, host inet, room int4range, note text, must date not null)`),
    );
    const values = {
      day: "2024-02-29",
      at: "2024-02-29 12:00:00+00",
      code: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
      data: "{}",
      tags: "{a}",
      lasted: "PT1H",
      price: "$1.50",
      place: "(1,2)",
      host: "10.0.0.1",
      room: "[1,3)",
      note: "text",
    };
    const row = { id: 1, ...values, must: "2024-02-29" };
    await rowhouse.post("/shop/events/-/insert", { as: "root", json: { row } });
    const { text } = await rowhouse.get("/shop/events/1/-/edit", { as: "root" });
    const names = Object.keys(row);
    const blanks = names.map(
      (_name, place) =>
        new RegExp(`name="b${place}"(?: value="(\\w+)"|[^]*?value="(\\w+)" selected)`).exec(text) ?? [],
    );
    const version = (/name="version" value="([^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&quot;", '"');
    const form = (isCleared: (name: string) => boolean) => ({
      version,
      ...Object.fromEntries(
        names.flatMap((name, place) => [
          [`v${place}`, isCleared(name) ? "" : String(row[name as keyof typeof row])],
          [`b${place}`, blanks[place]?.[1] ?? blanks[place]?.[2] ?? ""],
        ]),
      ),
    });

    const refused = await rowhouse.post("/shop/events/1/-/edit", {
      as: "root",
      form: form((name) => name === "must"),
    });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.match(/id="e12">\s*A value is required/);

    const saved = await rowhouse.post("/shop/events/1/-/edit", {
      as: "root",
      form: form((name) => name in values),
    });
    expect(saved.status, saved.text).to.equal(303);
    const { json } = await rowhouse.get("/shop/events/1.json?_shape=array");
    const cleared = Object.fromEntries(Object.keys(values).map((name) => [name, null]));
    expect(json).to.deep.equal([{ ...row, ...cleared, note: "" }]);
  });

  it("takes whole numbers of more than 64 bits", async () => {
    await rowhouse.rowhouse
      .database("shop")
      .write((transaction) => transaction.run("create table numbers (id bigint primary key, n numeric)"));
    const digits = "123456789012345678901234567890";
    const post = (v0: string) =>
      rowhouse.post("/shop/numbers/-/new-row", { as: "root", form: { v0, v1: digits } });

    expect((await post("1")).status).to.equal(303);
    expect((await rowhouse.get("/shop/numbers.csv")).text).to.equal(`id,n\r\n1,${digits}\r\n`);
    expect((await post(digits)).text).to.include("is out of range for type bigint");
  });

  it("takes numbers with a point or an exponent that are exact integers", async () => {
    await rowhouse.rowhouse.database("shop").write(async (transaction) => {
      await transaction.run("create table counts (id bigint primary key, n bigint)");
      await transaction.run("insert into counts values (1, 5)");
    });
    const save = async (v1: string): Promise<readonly unknown[]> => {
      const page = await rowhouse.get("/shop/counts/1/-/edit", { as: "root" });
      const version = (/name="version" value="([^"]*)"/.exec(page.text)?.[1] ?? "").replaceAll("&quot;", '"');
      const form = { v0: "1", v1, version };
      const { status } = await rowhouse.post("/shop/counts/1/-/edit", { as: "root", form });
      return [status, (await rowhouse.get("/shop/counts/1.json?_shape=array")).json[0].n];
    };

    expect(await save("1e3")).to.deep.equal([303, 1000]);
    expect(await save("+12.5E1")).to.deep.equal([303, 125]);
    expect(await save("-2.0")).to.deep.equal([303, -2]);
    for (const text of ["1.5", "1.00000000000000000001", "1e30"])
      expect(await save(text), text).to.deep.equal([400, -2]);
    const add = { as: "root", form: { v0: "2e0", v1: "1.0" } };
    expect((await rowhouse.post("/shop/counts/-/new-row", add)).status).to.equal(303);
  });

  it("says that no row was added if a trigger skips it", async () => {
    await rowhouse.rowhouse.database("shop").write(async (transaction) => {
      await transaction.run("create table skipped (id int primary key)");
      await transaction.run(
        "create function skip() returns trigger language plpgsql as $$ begin return null; end $$",
      );
      await transaction.run(
        "create trigger skip before insert on skipped for each row when (new.id > 1) execute function skip()",
      );
    });
    const said = async (v0: string) =>
      messageOf(await rowhouse.post("/shop/skipped/-/new-row", { as: "root", form: { v0 } }));

    expect(await said("2"))
      .to.include("No row was added")
      .and.not.include("Row added");
    expect(await said("1")).to.include("Row added");
  });

  it("has a menu for a boolean and a calendar for a time without a zone", async () => {
    await rowhouse.rowhouse.database("shop").write(async (transaction) => {
      await transaction.run("create table flags (id int primary key, done boolean not null, at timestamp)");
      await transaction.run("insert into flags values (1, true, '2024-02-29 12:30')");
    });
    const { text } = await rowhouse.get("/shop/flags/1/-/edit", { as: "root" });
    const version = (/name="version" value="([^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&quot;", '"');
    const save = (form: Record<string, string>) =>
      rowhouse.post("/shop/flags/1/-/edit", { as: "root", form: { v0: "1", version, ...form } });

    expect(text).to.match(/<select[^>]* name="v1"[^>]*>[^]*?<option value="1" selected/);
    expect(text).to.match(/<input type="datetime-local" id="v2"[^>]* value="2024-02-29T12:30:00"/);
    expect((await save({ v1: "0", v2: "2024-02-29T12:31" })).status).to.equal(303);
    expect((await rowhouse.get("/shop/flags/1.json?_shape=array")).json).to.deep.equal([
      { id: 1, done: false, at: "2024-02-29 12:31:00" },
    ]);
  });

  it("says at the field what PostgreSQL refuses, and offers to save only what it stores", async () => {
    await rowhouse.rowhouse.database("shop").write(async (transaction) => {
      await transaction.run("create table kinds (id int primary key)");
      await transaction.run(`create table things (
        id int primary key, year int not null, day date, kind int references kinds (id), other int)`);
      await transaction.run(`comment on table things is '@foreignKey ("other") references "kinds" ("id")'`);
      await transaction.run("insert into things (id, year) values (1, 2000)");
    });
    const page = await rowhouse.get("/shop/things/1/-/edit", { as: "root" });
    const version = (/name="version" value="([^"]*)"/.exec(page.text)?.[1] ?? "").replaceAll("&quot;", '"');
    const doubtful = { v0: "1", v1: "abc", v3: "7", v4: "8" };
    const [added, edited] = await Promise.all([
      rowhouse.post("/shop/things/-/new-row", { as: "root", form: doubtful }),
      rowhouse.post("/shop/things/1/-/edit", { as: "root", form: { ...doubtful, version } }),
    ]);
    const dated = await rowhouse.post("/shop/things/-/new-row", {
      as: "root",
      form: { v0: "2", v1: "2001", v2: "2024-02-30" },
    });

    expect([added.status, edited.status, dated.status]).to.deep.equal([400, 400, 400]);
    expect(notesIn(edited.text)).to.deep.equal([
      "“abc” is not a number, but the column is declared as integer.",
      "“7” is not the key of a row of kinds.",
      "“8” is not the key of a row of kinds. Save anyway",
    ]);
    expect(notesIn(added.text)).to.include("“abc” is not a number, but the column is declared as integer.");
    expect(notesIn(dated.text)).to.deep.equal(["date/time field value out of range: &quot;2024-02-30&quot;"]);
  });

  describe("before a row is deleted", () => {
    const warning = "Rows of other tables that refer to this row are deleted or changed with it.";
    const session = inBrowser({
      metadata: {
        databases: {
          shop: {
            permissions: { "delete-row": { id: ["root", "ann"] } },
            tables: { places: { allow: { id: "root" } } },
          },
        },
      },
    });
    const remove = async (table: string, as: string): Promise<string> =>
      (await session.rowhouse.get(`/shop/${table}/1/-/remove`, { as })).text;
    let uri: string;
    before(async () => {
      uri = await server().createDatabase(`
        create table shelves (id int primary key);
        create table places (id int primary key, shelf int references shelves on delete cascade);
        insert into shelves values (1);
        insert into places values (1, 1);`);
      await session.rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    });

    it("says whether rows of other tables are deleted or changed with it", async () => {
      const page = await session.open("/shop/shelves", { as: { id: "root" } });
      await page.locator(".row-check").nth(1).click();
      await page.click(".selection-bar >> text=Delete");
      await page.click(".edit-dialog >> text=Cancel");

      expect(await remove("shelves", "root")).to.include(warning);
      expect(await remove("places", "root")).to.not.include(warning);
      expect(await server().run("select id from shelves", uri.split("/").at(-1))).to.have.length(1);
    });

    it("says nothing of tables that the actor may not view", async () => {
      const list = await session.rowhouse.get("/shop/shelves", { as: "ann" });

      expect(await remove("shelves", "ann"))
        .to.include("Delete row")
        .and.not.include(warning);
      expect(list.text).to.include('data-may="delete-row"').and.not.include("data-deletes-more");
    });
  });
});

/** The message that the next page shows. */
const messageOf = ({ headers }: TestReply): string => {
  const [, message = ""] = /rowhouse_messages=([^.;]+)/.exec(String(headers["set-cookie"])) ?? [];
  return Buffer.from(message, "base64").toString();
};

/** The notes at fields of a form, as they are read. */
const notesIn = (page: string): readonly string[] =>
  [...page.matchAll(/<p class="field-note"[^>]*>(.*?)<\/p>/gs)].map(([, note = ""]) =>
    note
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
