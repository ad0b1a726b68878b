import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

/** One BLOB just too long to be read for a page, one that is not, and a text of the same column. */
const SQL = `
  create table pictures (name text primary key, image blob, note text);
  insert into pictures values
    ('long', randomblob(262145), 'one'), ('short', randomblob(262144), 'two'), ('none', null, 'three'),
    ('text', 'not bytes, and not short: ' || printf('%.300000c', 'x'), 'four');
  create table files (path text primary key, content);
  insert into files values ('a', randomblob(300000)), (x'ff', randomblob(300001)), (null, randomblob(300002));
  create table untitled (image blob);
  insert into untitled values (randomblob(300000)), (x'00');
  create table parts (id blob primary key, name text);
  insert into parts values (zeroblob(300000), 'long'), (x'01', 'short');
  create table uses (id integer primary key, part blob references parts(id));
  insert into uses values (1, zeroblob(300000)), (2, x'01');
`;

/** The markup of the cells of a column, by row. */
const cellsOf = ({ text }: TestReply, column: string): readonly string[] =>
  [...text.matchAll(new RegExp(`<td class="col-${column} [^>]*>(.*?)</td>`, "gs"))].map(
    ([, cell = ""]) => cell,
  );

const addressIn = (cell: string): string => (/href="([^"]+)"/.exec(cell)?.[1] ?? "").replaceAll("&amp;", "&");

const sizeAt = async (rowhouse: TestRowhouse, address: string): Promise<number> => {
  const { status, headers } = await rowhouse.get(address);
  expect(status, address).to.equal(200);
  return Number(headers["content-length"]);
};

const lengthOf = (value: unknown): string | null =>
  value instanceof Uint8Array ? `${value.length} bytes for the plugin` : null;

const shown = /^<a [^>]*>&lt;Binary:&nbsp;([\d,]+)&nbsp;bytes?&gt;<\/a>$/;

describe("a table with 1,900 columns that may hold BLOBs", () => {
  for (const type of ["", " blob"]) {
    it(`is shown as a page, a row and CSV if their type is "${type.trim()}"`, async () => {
      const columns = Array.from({ length: 1_900 }, (_, index) => `c${index}`);
      const rowhouse = await rowhouseFor({
        sql: `create table wide (id integer primary key, ${columns.map((name) => name + type).join(", ")});
          insert into wide (id, c0, c1899) values (1, x'00ff', 'last')`,
      });

      for (const path of ["wide", "wide/1"]) {
        const page = await rowhouse.get(`/library/${path}`);
        expect(page.status, page.text).to.equal(200);
        expect(shown.exec(cellsOf(page, "c0")[0] ?? "")?.[1], path).to.equal("2");
      }
      for (const path of ["wide.csv", "wide.csv?_stream=on", "wide/1.csv"]) {
        const { status, text } = await rowhouse.get(`/library/${path}`);
        expect(status, path).to.equal(200);
        expect(text.split("\r\n")[1], path).to.match(/^1,http.*blob.*,last$/);
      }
    });
  }
});

describe("a long BLOB on a page of a table", () => {
  it("is shown with its size and a link to its bytes", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });

    const [long = "", none, short = "", text] = cellsOf(await rowhouse.get("/library/pictures"), "image");

    expect(shown.exec(long)?.[1]).to.equal("262,145");
    expect(long).to.include('title="256.0 KB"');
    expect(await sizeAt(rowhouse, addressIn(long))).to.equal(262_145);
    expect(shown.exec(short)?.[1]).to.equal("262,144");
    expect(await sizeAt(rowhouse, addressIn(short))).to.equal(262_144);
    expect(none).to.equal("&nbsp;");
    expect(text).to.include("not bytes, and not short: xxx");
  });

  it("is not read: a page of 200 MB of them appears within the time limit", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table photos (id integer primary key, image blob);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 100)
        insert into photos select i, zeroblob(2000000) from n;`,
      settings: { sql_time_limit_ms: 300 },
    });

    const page = await rowhouse.get("/library/photos");
    const csv = await rowhouse.get("/library/photos.csv");

    expect(page.status).to.equal(200);
    expect(cellsOf(page, "image")).to.have.length(100);
    const stream = await rowhouse.get("/library/photos.csv?_stream=1");
    expect(stream.text).to.equal(csv.text);
    expect(csv.text.split("\r\n")[100]).to.match(
      /^100,http.*\/library\/photos\/100\.blob\?_blob_column=image$/,
    );
  });

  it("is sent in pieces, whatever its size", async () => {
    // Three pieces of SQLite.
    const rowhouse = await rowhouseFor({
      sql: `create table films (id text primary key, film blob);
        insert into films values ('a/1', randomblob(40000001));`,
    });
    const [stored] = await rowhouse.query("select film from films");
    const bytes = stored?.["film"] as Buffer;

    const [cell = ""] = cellsOf(await rowhouse.get("/library/films/a~2F1"), "film");
    expect(cell).to.include("40,000,001&nbsp;bytes");
    const first = "/library/films.blob?_blob_column=film&id=a%2F1";
    for (const address of [addressIn(cell), first]) {
      const reply = await rowhouse.get(address);
      expect(reply.headers["content-length"]).to.equal("40000001");
      expect(reply.bytes.equals(bytes), address).to.equal(true);
    }
    const head = await rowhouse.request("HEAD", addressIn(cell));
    expect([head.status, head.headers["content-length"]]).to.deep.equal([200, "40000001"]);
    expect((await rowhouse.get("/library/films/a~2F1.csv")).text).to.include(
      "/library/films/a~2F1.blob?_blob_column=film",
    );
  });

  it("is sent from tables without rowids, and from the rows that an actor may read", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table parts (kind text, number int, file blob, primary key (kind, number)) without rowid;
        insert into parts values ('a', 1, randomblob(900000)), ('a', 2, randomblob(900000)), ('b', 1, null);`,
      plugins: [
        definePlugin({
          name: "only-ones",
          read_scope: () => ({ table: "parts", where: "number = 1" }),
        }),
      ],
    });
    const [stored] = await rowhouse.query("select file from parts");

    const reply = await rowhouse.get("/library/parts/a,1.blob?_blob_column=file");
    const hidden = await rowhouse.get("/library/parts/a,2.blob?_blob_column=file");

    expect(reply.bytes.equals(stored?.["file"] as Buffer)).to.equal(true);
    expect(hidden.status).to.equal(404);
  });

  it("is the one of the beginning for a slow client, which holds up no write", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table films (id integer primary key, film blob); insert into films values (1, randomblob(60000001));",
    });
    const [stored] = await rowhouse.query("select film from films");
    const bytes = stored?.["film"] as Buffer;
    const response = await new Promise<IncomingMessage>((resolve) =>
      get(`${rowhouse.origin}/library/films/1.blob?_blob_column=film`, resolve),
    );

    const options = { as: "root", json: { update: { film: "another" } } };
    const written = await rowhouse.post("/library/films/1/-/update", options);

    expect(written.status).to.equal(200);
    expect(await rowhouse.query("select film from films")).to.deep.equal([{ film: "another" }]);
    const sent = await buffer(response);
    expect(sent.equals(bytes)).to.equal(true);
  });

  it("has an address by its hash in a row without a page", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });

    for (const path of ["/library/files", "/library/files?_sort=content", "/library/files?_shape=array"]) {
      const cells = cellsOf(await rowhouse.get(path), "content");
      const sizes = await Promise.all(cells.map((cell) => sizeAt(rowhouse, addressIn(cell))));
      expect(sizes.toSorted(), path).to.deep.equal([300_000, 300_001, 300_002]);
    }
    const { text } = await rowhouse.get("/library/files.csv");
    const addresses = text.match(/http[^\s,]*_blob_column=content[^\s,]*/g) ?? [];
    const sizes = await Promise.all(
      addresses.map((address) => sizeAt(rowhouse, address.slice(rowhouse.origin.length))),
    );
    expect(sizes.toSorted()).to.deep.equal([300_000, 300_001, 300_002]);
  });

  it("is read if the rows are sorted by it, or if it is a key or its reference", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });

    const sorted = await rowhouse.get("/library/pictures?_sort_desc=image&_size=1");
    const next = /href="([^"]*_next=[^"]*)"/.exec(sorted.text)?.[1] ?? "";
    const second = await rowhouse.get(next.replaceAll("&amp;", "&"));
    const names = [sorted, second].flatMap(({ text }) => /href="\/library\/pictures\/(\w+)"/.exec(text)?.[1]);
    const expected = await rowhouse.query("select name from pictures order by image desc limit 2");
    expect(names).to.deep.equal(expected.map(({ name }) => name));

    const keys = cellsOf(await rowhouse.get("/library/parts"), "id");
    expect(keys[0]).to.include("300,000");
    const references = cellsOf(await rowhouse.get("/library/uses"), "part");
    expect(references.map((cell) => /(?:long|short)/.exec(cell)?.[0])).to.deep.equal(["long", "short"]);
  });

  it("is shown in tables whose rows have a number for a key", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });

    const [long = "", short = ""] = cellsOf(await rowhouse.get("/library/untitled"), "image");

    expect(await sizeAt(rowhouse, addressIn(long))).to.equal(300_000);
    expect(await sizeAt(rowhouse, addressIn(short))).to.equal(1);
  });

  it("is complete for plugins that show cells, and for types of columns", async () => {
    const renders = definePlugin({ name: "renders", render_cell: (_rowhouse, { value }) => lengthOf(value) });
    const picture = definePlugin({
      name: "picture",
      register_column_types: () => ({
        name: "picture",
        description: "A picture",
        render: ({ value }) => lengthOf(value),
      }),
    });
    const tables = { pictures: { column_types: { image: "picture" } } };
    const metadata = { databases: { library: { tables } } };

    for (const contents of [{ plugins: [renders] }, { plugins: [picture], metadata }]) {
      const rowhouse = await rowhouseFor({ sql: SQL, ...contents });
      const [long] = cellsOf(await rowhouse.get("/library/pictures"), "image");
      expect(long).to.equal("262145 bytes for the plugin");
    }
  });

  it("does not change the statement that is shown, or the JSON", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });

    const { json } = await rowhouse.get("/library/pictures.json?_extras=query&name=long");

    expect(json.query.sql).to.equal(
      'select name, image, note from pictures where "name" = :p0 order by name limit 101',
    );
    const [[, image]] = json.rows;
    const expected = await rowhouse.query("select image from pictures where name = 'long'");
    const bytes = Buffer.from(image.encoded, "base64");
    expect(bytes.equals(expected[0]?.["image"] as Buffer)).to.equal(true);
  });
});

describePostgres("a long BLOB on a page of a table in PostgreSQL", (server) => {
  it("is shown with its size and a link to its bytes", async () => {
    const uri = await server().createDatabase(`
      create domain photo as bytea;
      create table pictures (name text primary key, image photo, note text);
      alter table pictures alter image set storage external;
      insert into pictures values
        ('long', decode(repeat('00ff', 131073), 'hex'), 'one'), ('short', decode('00', 'hex'), 'two'), ('none', null, null);`);
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    for (const path of ["/shop/pictures", "/shop/pictures?_sort=note", "/shop/pictures?_sort_desc=note"]) {
      const cells = cellsOf(await rowhouse.get(path), "image");
      const long = cells.find((cell) => cell.includes("262,146")) ?? "";
      expect(await sizeAt(rowhouse, addressIn(long)), path).to.equal(262_146);
      expect(
        cells.filter((cell) => cell.includes("1&nbsp;byte")),
        path,
      ).to.have.length(1);
    }
    const stored = Buffer.from("00ff".repeat(131_073), "hex");
    for (const address of ["pictures/long.blob?", "pictures.blob?name=long&"]) {
      const { bytes } = await rowhouse.get(`/shop/${address}_blob_column=image`);
      expect(bytes.equals(stored), address).to.equal(true);
    }
    const { text } = await rowhouse.get("/shop/pictures.csv");
    expect(text.split("\r\n")[1]).to.match(
      /^long,http.*\/shop\/pictures\/long\.blob\?_blob_column=image,one$/,
    );
  });
});
