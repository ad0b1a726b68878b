import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const scans = [
  { id: 1, scan: null, pages: 12, name: "é" },
  { id: 2, scan: new Uint8Array([60, 255]), pages: 3, name: "x" },
];

const library = () => rowhouseFor({ tables: { scans } });

describe(".blob", () => {
  it("sends the bytes of one cell as a file that no browser runs", async () => {
    const reply = await (await library()).get("/library/scans/2.blob?_blob_column=scan");

    expect([...reply.bytes]).to.deep.equal([60, 255]);
    expect(reply.headers["content-type"]).to.equal("application/binary");
    expect(reply.headers["content-disposition"]).to.equal('attachment; filename="scans-2-scan.blob"');
    expect(reply.headers["x-content-type-options"]).to.equal("nosniff");
    expect(reply.headers["content-security-policy"]).to.include("sandbox");
  });

  const values = [
    ["pages", "12"],
    ["name", "é"],
    ["scan", ""],
  ] as const;
  for (const [column, text] of values) {
    it(`sends ${JSON.stringify(text)} for the ${column} of a row`, async () => {
      const reply = await (await library()).get(`/library/scans/1.blob?_blob_column=${column}`);

      expect(reply.status).to.equal(200);
      expect(reply.text).to.equal(text);
    });
  }

  it("sends the stored bytes of a text that is not valid UTF-8, and of any other text", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table notes (id integer primary key, note text, scan blob);
        insert into notes values (1, cast(x'41ff4200c3' as text), x'00'), (2, 'e\u0301 \ufffd', x'01');
        create view shown as select note from notes;`,
    });
    const stored = [0x41, 0xff, 0x42, 0, 0xc3];
    const sql = "select+note+from+notes";
    for (const path of ["library/notes/1", "library/notes", "library/shown", `library?sql=${sql}`]) {
      const [place = "", query = ""] = path.split("?");
      const reply = await rowhouse.get(`/${place}.blob?${query}&_blob_column=note`);

      expect([...reply.bytes], path).to.deep.equal(stored);
    }
    const valid = await rowhouse.get("/library/notes/2.blob?_blob_column=note");
    expect(valid.text).to.equal("e\u0301 \ufffd");
  });

  it("sends the bytes to which a later page of a view links, and one with filters", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table scans (id integer primary key, scan blob);
        insert into scans values (1, x'00ff'), (2, x'01ff'), (3, x'02ff');
        create view shown as select * from scans;`,
      settings: { default_page_size: 1 },
    });
    for (const query of ["_next=2", "id__gt=2"]) {
      const { text } = await rowhouse.get(`/library/shown?${query}`);
      const href = /class="blob-download" href="([^"]+)"/.exec(text)?.[1] ?? "";

      const { bytes } = await rowhouse.get(href.replaceAll("&amp;", "&"));

      expect([...bytes], query).to.deep.equal([2, 255]);
    }
  });

  it("sends the cell of a column without a name", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table odd (id integer primary key, "" blob); insert into odd values (1, x'3c')`,
    });

    expect((await rowhouse.get("/library/odd/1.blob?_blob_column=")).text).to.equal("<");
  });

  const mistakes = [
    ["/library/scans/1.blob?_blob_column=", 400, "?_blob_column= is required"],
    ["/library/scans/1.blob", 400, "?_blob_column= is required"],
    ["/library/scans/1.blob?_blob_column=nope", 400, "nope is not a valid column"],
    ["/library/scans.blob?_blob_column=scan&_blob_hash=00", 400, "Link has expired"],
    ["/library/scans.blob?_blob_column=name&_blob_hash=00", 400, "Link has expired"],
    ["/library/scans.blob?_blob_column=scan&id=77", 404, "No row found"],
  ] as const;
  for (const [path, status, message] of mistakes) {
    it(`answers ${path} with ${status}: ${message}`, async () => {
      const reply = await (await library()).get(path);

      expect(reply.status).to.equal(status);
      expect(reply.text).to.include(message);
    });
  }

  it("finds the bytes of each link in a streamed CSV, also beyond the first page", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table scans (scan blob primary key, name text);
        insert into scans values (x'00', 'a'), (x'01ff', 'b'), (x'02', 'c'), (x'03', 'd');
        create view shown as select * from scans;`,
      settings: { max_returned_rows: 2 },
    });
    const source = "sql=select+*+from+scans+where+:a='1'&a=1";
    for (const path of ["scans.csv?_size=1&", "shown.csv?_size=1&", `../library.csv?${source}&`]) {
      const { text } = await rowhouse.get(
        `/library/${path}_stream=on&_header=off`.replace("library/../", ""),
      );
      const links = text
        .trim()
        .split("\r\n")
        .map((line) => line.slice(0, -2).replace(rowhouse.origin, ""));
      const replies = await Promise.all(links.map((link) => rowhouse.get(link)));

      expect(
        replies.map(({ bytes }) => [...bytes]),
        path,
      ).to.deep.equal([[0], [1, 255], [2], [3]]);
      const missing = await rowhouse.get(`${links[0]?.slice(0, -2)}00`);
      expect(missing.status).to.equal(400);
      expect(missing.text).to.include("Link has expired");
    }
  });
});
