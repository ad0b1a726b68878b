import { expect } from "chai";
import { tildeEncode } from "rowhouse/plugin-api/http";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const TABLES: Readonly<
  Record<string, { readonly type: string; readonly key: string; readonly other: string }>
> = {
  days: { type: "date", key: "2024-02-29", other: "2023-02-29" },
  times: { type: "timestamptz", key: "2024-02-29 10:00:00+00", other: "noon" },
  spans: { type: "interval", key: "P1D", other: "a day" },
  hosts: { type: "inet", key: "10.0.0.1", other: "10.0.0" },
  codes: { type: "uuid", key: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", other: "a0" },
};

/** Types whose values the server does not compare with a parameter of an unknown type. */
const ODD_TYPES = [
  { type: "temper", key: "sad", other: "ok" },
  { type: "place", key: "(1,a)", other: "(2,b)" },
  { type: "spot", key: "(1,a)", other: "(2,b)" },
  { type: "int[]", key: "{1,2}", other: "{3}" },
  { type: "steps", key: "{1,2}", other: "{3}" },
  { type: "regclass", key: "words", other: "odd" },
] as const;

const pathOf = (table: string, key: string): string => `/shop/${table}/${tildeEncode(key)}`;

describePostgres("the key of a row of a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const script = Object.entries(TABLES).map(
      ([name, { type, key }]) =>
        `create table ${name} (key ${type} primary key, name text); insert into ${name} values ('${key}', 'one');`,
    );
    script.push(
      `create table flags ("on" boolean, n numeric(4, 2), name text, primary key ("on", n));
       insert into flags values (true, 1.50, 'one'), (false, 2, 'two');
       create table words (key text primary key);
       create type mood as enum ('sad', 'ok'); create domain temper as mood;
       create type place as (x int, y text); create domain spot as place; create domain steps as int[];
       ${ODD_TYPES.map(({ type, key }, index) => `create table o${index} (key ${type} primary key, name text, check (name <> 'bad')); insert into o${index} values ('${key}', 'one');`).join(" ")}
       create table visits (id int primary key, place place references o1 (key));
       insert into visits select 1, key from o1;
       create table odd (a temper, b place, name text, primary key (a, b)); insert into odd values ('sad', '(1,a)', 'one');
       create extension hstore; create table bags (a int, b hstore, c place, primary key (a, b, c));
       insert into bags select 1, hstore('k', i::text), (i, 'x')::place from generate_series(1, 5) as i;
       create extension citext; create domain code as citext;
       ${["character(4)", "citext", "code"].map((type, place) => `create table t${place} (key ${type} primary key, name text); insert into t${place} values ('Ab', 'one');`).join(" ")}`,
    );
    const uri = await server().createDatabase(script.join(" "));
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const post = (path: string, json: object) => rowhouse.post(`/shop/${path}`, { as: "root", json });
  const read = async () => (await rowhouse.get("/shop/flags.json?_shape=array")).json;

  for (const [table, { type, key, other }] of Object.entries(TABLES)) {
    it(`finds no row if it is not of the type ${type}`, async () => {
      const found = await rowhouse.get(`${pathOf(table, key)}.json`);
      const replies = [
        await rowhouse.get(`${pathOf(table, other)}.json`),
        await rowhouse.get(pathOf(table, other)),
        await rowhouse.post(`${pathOf(table, other)}/-/update`, {
          as: "root",
          json: { update: { name: "x" } },
        }),
        await rowhouse.post(`${pathOf(table, other)}/-/delete`, { as: "root", json: {} }),
      ];

      expect(found.status, found.text).to.equal(200);
      for (const { status, text } of replies) expect(status, text).to.equal(404);
    });

    it(`is completed while what is typed is not of the type ${type} yet`, async () => {
      const { status, text, json } = await rowhouse.get(
        `/shop/${table}/-/autocomplete.json?q=${encodeURIComponent(other)}`,
      );

      expect(status, text).to.equal(200);
      expect((json as { readonly rows: unknown }).rows).to.deep.equal([]);
    });
  }

  it("finds no row if it has the character U+0000, which no text has", async () => {
    const path = pathOf("words", "a\0b");
    const replies = [
      await rowhouse.get(`${path}.json`),
      await rowhouse.get(path),
      await rowhouse.post(`${path}/-/delete`, { as: "root", json: {} }),
    ];

    for (const { status, text } of replies) expect(status, text).to.equal(404);
  });

  for (const [place, type] of ["character(4)", "citext", "code"].entries()) {
    it(`is compared as the type ${type} does it, also for the rows that a write returns`, async () => {
      const stored = type === "character(4)" ? "Ab  " : "Ab";
      const sent = type === "character(4)" ? "Ab" : "aB";
      const updated = await post(`t${place}/${sent}/-/update`, { update: { name: "new" }, return: true });
      const rows = [{ key: sent, name: "newer" }];
      const upserted = await post(`t${place}/-/upsert`, { rows, return: true });
      const ignored = await post(`t${place}/-/insert`, { rows, ignore: true, return: true });

      expect(updated.json).to.deep.equal({ ok: true, row: { key: stored, name: "new" } });
      expect(upserted.json).to.deep.equal({ ok: true, rows: [{ key: stored, name: "newer" }] });
      expect(ignored.json).to.deep.equal({ ok: true, rows: [{ key: stored, name: "newer" }] });
    });
  }

  for (const [index, { type, other }] of ODD_TYPES.entries()) {
    it(`begins the next page of rows sorted by another column, of the type ${type}`, async () => {
      await post(`o${index}/-/insert`, { row: { key: other, name: "two" } });
      const path = `/shop/o${index}.json?_sort=name&_nocol=name&_size=1&_shape=objects`;
      const { json, status, text } = await rowhouse.get(path);

      expect(status, text).to.equal(200);
      const { next_url } = json as { readonly next_url: string };
      expect((await rowhouse.get(next_url)).status).to.equal(200);
    });
  }

  for (const sort of ["", "&_sort=b", "&_sort_desc=a"]) {
    it(`pages by types that have an order and no operators${sort && `, with ${sort}`}`, async () => {
      const seen: unknown[] = [];
      let url: string | null = `/shop/bags.json?_size=2&_shape=objects${sort}`;
      while (url !== null && seen.length <= 5) {
        const { json, status, text } = await rowhouse.get(url);
        expect(status, text).to.equal(200);
        const page = json as { readonly rows: readonly { readonly b: string }[]; readonly next_url: string };
        seen.push(...page.rows.map(({ b }) => b));
        url = page.next_url;
      }

      expect(seen).to.deep.equal([1, 2, 3, 4, 5].map((one) => `"k"=>"${one}"`));
    });
  }

  it("may be a whole number in another spelling, also where other tables refer to the row", async () => {
    const uri = await server().createDatabase(`
      create table makers (id bigint primary key, code numeric unique);
      create table things (id int primary key, maker int references makers, code numeric references makers (code));
      insert into makers values (1, 2.50); insert into things values (1, 1, 2.5), (2, 1, null);`);
    await rowhouse.rowhouse.addDatabase({ uri, name: "spellings", mutable: true });

    for (const key of ["1", "01", "1~2E0", "1e0"]) {
      const { status, text, json } = await rowhouse.get(
        `/spellings/makers/${key}.json?_extras=foreign_key_tables`,
      );
      expect(status, text).to.equal(200);
      expect(json.foreign_key_tables.map(({ count }: { count: number }) => count)).to.have.members([2, 1]);
      expect((await rowhouse.get(`/spellings/makers/${key}`)).status, key).to.equal(200);
    }
  });

  it("is found by foreign keys of a composite type, with labels and links", async () => {
    const labelled = await rowhouse.get("/shop/visits.json?_labels=on&_shape=array");
    const row = await rowhouse.get(`/shop/o1/${tildeEncode("(1,a)")}.json?_extras=foreign_key_tables`);
    const page = await rowhouse.get("/shop/visits/1");

    expect(labelled.json).to.deep.equal([{ id: 1, place: { value: "(1,a)", label: "one" } }]);
    const [link] = (row.json as { readonly foreign_key_tables: readonly object[] }).foreign_key_tables;
    expect(link).to.deep.include({ other_table: "visits", count: 1 });
    expect(page.status, page.text).to.equal(200);
  });

  for (const [index, { type, key }] of ODD_TYPES.entries()) {
    it(`addresses a row in each kind of write, of the type ${type}`, async () => {
      const table = `o${index}`;
      await post("visits/-/delete", { filters: { id: 1 } });
      await expectWritten(table, `${table}/${tildeEncode(key)}`, { key });
    });
  }

  it("addresses a row in each kind of write, of several such types", async () => {
    await expectWritten("odd", `odd/sad,${tildeEncode("(1,a)")}`, { a: "sad", b: "(1,a)" });
  });

  async function expectWritten(table: string, path: string, key: object): Promise<void> {
    const { headers } = await rowhouse.get(`/shop/${path}.json?_extras=version`);
    const replies = [
      await rowhouse.post(`/shop/${path}/-/update`, {
        as: "root",
        json: { update: { name: "a" }, return: true },
        headers: { "if-match": headers["etag"] ?? "" },
      }),
      await post(`${table}/-/update`, { filters: { name: "a" }, update: { name: "b" } }),
      await post(`${table}/-/upsert`, { rows: [{ ...key, name: "c" }], return: true }),
      await post(`${table}/-/insert`, { rows: [{ ...key, name: "d" }], ignore: true, return: true }),
      await post("-/batch", {
        undo: true,
        operations: [{ op: "update", table, key: Object.values(key) as string[], update: { name: "e" } }],
      }),
      await post(`${table}/-/delete`, { filters: { name: "e" }, dry_run: true }),
      await post(`${path}/-/delete`, {}),
    ];

    for (const { status, text } of replies) expect(status, text).to.be.oneOf([200, 201]);
    const { json } = await rowhouse.get(`/shop/${table}.json?_shape=array&name__not=two`);
    expect(json).to.deep.equal([]);
  }

  it("changes and restores rows whose key has a truth value", async () => {
    const before = await read();

    const updated = await post("flags/true,1~2E50/-/update", { update: { name: "new" }, return: true });
    const moved = await post("flags/false,2~2E00/-/update", { update: { on: true }, return: true });
    const undone = await post("-/batch", {
      undo: true,
      operations: [
        { op: "update", table: "flags", key: [true, 1.5], update: { name: "other" } },
        { op: "delete", table: "flags", key: ["true", 2] },
      ],
    });

    expect(updated.json).to.deep.equal({ ok: true, row: { on: true, n: 1.5, name: "new" } });
    expect(moved.json).to.deep.equal({ ok: true, row: { on: true, n: 2, name: "two" } });
    expect(undone.status, undone.text).to.equal(200);
    const { undo } = undone.json as { readonly undo: string };
    const restored = await post("-/batch", { operations: JSON.parse(undo) as unknown });
    expect(restored.status, restored.text).to.equal(200);
    await post("flags/true,1~2E50/-/update", { update: { name: "one" } });
    await post("flags/true,2~2E00/-/update", { update: { on: false } });
    expect(await read()).to.deep.equal(before);
  });
});
