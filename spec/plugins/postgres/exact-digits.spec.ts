import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { tildeEncode } from "rowhouse/plugin-api/http";

/** More digits than a double has. */
const LONG = "123456789012345678901234567890.0123456789";
const SCRIPT = `
  create table sums (n numeric primary key, amount numeric, name text);
  insert into sums values (${LONG}, ${LONG}, 'long'), (0.5, 0.5, 'short');
  create table counts (i int primary key);
  create table thirds (n numeric primary key, part numeric);
  insert into thirds select i / 3.0, -i / 3.0 from generate_series(1, 40) as i;`;

interface Page {
  readonly rows: readonly object[];
  readonly next_url: string | null;
}

const namesOf = ({ rows }: Page): unknown[] => rows.map((row) => (row as { readonly name: unknown }).name);

describePostgres("numbers with more digits than a double, in PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  let uri: string;
  beforeEach(async () => {
    uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const stored = async (column: string, condition: string): Promise<unknown> => {
    const sql = `select ${column}::text as value from sums where ${condition}`;
    const [row] = await server().run(sql, uri.split("/").at(-1));
    return row?.["value"];
  };

  for (const sort of ["", "&_sort=part", "&_sort_desc=part"]) {
    it(`are each on one page of a table with keys of such numbers${sort && `, with ${sort}`}`, async () => {
      const seen: string[] = [];
      let url: string | null = `/shop/thirds.json?_size=1&_shape=objects${sort}`;
      for (let pages = 0; url !== null && pages <= 41; pages += 1) {
        const { json } = await rowhouse.get(url);
        const { rows, next_url } = json as Page;
        seen.push(...rows.map((row) => JSON.stringify(row)));
        url = next_url;
      }

      expect(new Set(seen).size).to.equal(40);
      expect(seen).to.have.length(40);
    });
  }

  it("are written as integers of JSON with more than 64 bits, to columns that hold them", async () => {
    const sent = (path: string, body: string, type = "application/json") =>
      rowhouse.post(`/shop/${path}`, { as: "root", headers: { "content-type": type }, body });
    const digits = "123456789012345678901234567890";
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    const stream = await rowhouse.post("/shop/sums/-/insert", {
      headers: { "content-type": "application/x-ndjson", authorization: `Bearer ${token}` },
      body: `{"n": 1, "amount": ${digits}}`,
    });
    const written = [
      stream,
      await sent("sums/-/insert", `{"row": {"n": 2, "amount": -${digits}}}`),
      await sent("sums/-/upsert", `{"row": {"n": 3, "amount": ${digits}}}`),
      await sent("sums/0.5/-/update", `{"update": {"amount": ${digits}}}`),
    ];

    expect(written.map(({ status, text }) => (status < 300 ? "" : text))).to.deep.equal(["", "", "", ""]);
    for (const n of ["1", "2", "3", "0.5"])
      expect(await stored("amount", `n = ${n}`)).to.equal(n === "2" ? `-${digits}` : digits);
    const refused = await sent("counts/-/insert", `{"row": {"i": ${digits}}}`);
    expect(refused.text).to.include("Python int too large");
  });

  for (const query of [`n__in=[${LONG}]`, `n__in=[${LONG},1.5]`, `n__notin=[0.5]`, `n=${LONG}`]) {
    it(`are found by ?${query}`, async () => {
      const { json } = await rowhouse.get(`/shop/sums.json?_col=name&_shape=array&${query}`);

      expect((json as readonly { readonly name: string }[]).map(({ name }) => name)).to.deep.equal(["long"]);
    });
  }

  it("are looked for in long texts in linear time", async () => {
    const began = performance.now();
    const { status } = await rowhouse.get(`/shop/counts.json?i=${"9".repeat(60_000)}x`);

    expect(status).to.equal(200);
    expect(performance.now() - began).to.be.below(1_500);
  });

  it("have the labels of their own rows, also if their nearest double is the same", async () => {
    await server().run(
      `create table posts (id numeric primary key, title text);
       insert into posts values (9007199254740992, 'two'), (9007199254740993, 'three'), (1.50, 'half');
       create table marks (id int primary key, post numeric references posts (id));
       insert into marks values (1, 9007199254740992), (2, 9007199254740993), (3, 1.5);`,
      uri.split("/").at(-1),
    );
    const { json } = await rowhouse.get("/shop/marks.json?_labels=on&_shape=array");

    const labels = (json as readonly { readonly post: { readonly label: string } }[]).map(
      ({ post }) => post.label,
    );
    expect(labels).to.deep.equal(["two", "three", "half"]);
  });

  it("are the keys of operations of a batch", async () => {
    const operation = `{"op": "update", "table": "sums", "key": ${LONG}, "update": {"name": "new"}}`;
    const reply = await rowhouse.post("/shop/-/batch", {
      as: "root",
      body: `{"operations": [${operation}]}`,
      headers: { "content-type": "application/json" },
    });

    expect(reply.status, reply.text).to.equal(200);
    expect(await stored("name", `n = ${LONG}`)).to.equal("new");
  });

  it("are keys of rows and of pages beyond the range of doubles, too", async () => {
    const huge = "7".repeat(400);
    await server().run(`insert into sums values (${huge}, -${huge}, 'huge')`, uri.split("/").at(-1));
    const page = await rowhouse.get("/shop/sums?_size=1&_sort_desc=n", { as: "root" });
    const url = "/shop/sums.json?_size=1&_sort=amount&_col=name&_shape=objects";
    const first = (await rowhouse.get(url)).json as Page;
    const second = (await rowhouse.get(first.next_url ?? "")).json as Page;
    const updated = await rowhouse.post(`/shop/sums/${huge}/-/update`, {
      as: "root",
      json: { update: { name: "new" } },
    });

    expect(page.text).to.contain(`/shop/sums/${huge}"`);
    expect(namesOf(first)).to.deep.equal(["huge"]);
    expect(namesOf(second)).to.deep.equal(["short"]);
    expect(updated.status, updated.text).to.equal(200);
    expect(await stored("name", `n = ${huge}`)).to.equal("new");
    expect((await rowhouse.post(`/shop/sums/${huge}/-/delete`, { as: "root", json: {} })).status).to.equal(
      200,
    );
    expect(await stored("name", `n = ${huge}`)).to.equal(undefined);
  });

  it("keep their digits on the page that edits a row", async () => {
    const path = `/shop/sums/${tildeEncode(LONG)}/-/edit`;
    const page = await rowhouse.get(path, { as: "root" });
    const fields = [...page.text.matchAll(/name="(v\d|b\d|h\d|version)" value="([^"]*)"/g)];
    const form = Object.fromEntries(
      fields.map(([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"')]),
    );
    const changed = LONG.replace(/9$/, "1");

    expect(form["v1"]).to.equal(LONG);
    const reply = await rowhouse.post(path, { as: "root", form: { ...form, v1: `+${changed}` } });
    expect(reply.status, reply.text).to.equal(303);
    expect(await stored("amount", `n = ${LONG}`)).to.equal(changed);
  });

  it("are stored in new columns beside large integers, exactly", async () => {
    const rows = '{"name": "a", "m": 9007199254740993}\n{"name": "b", "m": 1.5}';
    const created = await rowhouse.post("/shop/-/create", {
      as: "root",
      body: `{"table": "mixed", "rows": [${rows.replace("\n", ",")}]}`,
      headers: { "content-type": "application/json" },
    });
    const added = await rowhouse.post("/shop/mixed/-/insert?alter=1", {
      token: await rowhouse.rowhouse.service("tokens").createToken("root"),
      body: "name,o\nc,9007199254740993\nd,1.5\n",
      headers: { "content-type": "text/csv" },
    });

    expect(created.status, created.text).to.equal(201);
    expect(added.status, added.text).to.equal(201);
    const stored = await server().run(
      "select m::text, o::text from mixed order by name",
      uri.split("/").at(-1),
    );
    expect(stored.flatMap(({ m, o }) => m ?? o)).to.deep.equal([
      "9007199254740993",
      "1.5",
      "9007199254740993",
      "1.5",
    ]);
  });

  it("keep their digits as a default", async () => {
    const columns = `[{"name": "id", "type": "integer"}, {"name": "n", "type": "float", "default": 0.1234567890123456789}]`;
    const reply = await rowhouse.post("/shop/-/create", {
      as: "root",
      body: `{"table": "made", "columns": ${columns}, "pk": "id"}`,
      headers: { "content-type": "application/json" },
    });

    expect(reply.status, reply.text).to.equal(201);
    const sql = "select column_default as value from information_schema.columns where table_name = 'made'";
    const rows = await server().run(sql, uri.split("/").at(-1));
    expect(rows).to.deep.include({ value: "0.1234567890123456789" });
  });
});
