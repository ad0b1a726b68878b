import { createHash } from "node:crypto";
import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

describe("CSV", () => {
  for (const length of [3, 70_000]) {
    it(`doubles the quotes of a field of ${length} characters`, async () => {
      const title = `é"${"x".repeat(length - 3)}"`;
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title }] } });

      const { text } = await rowhouse.get("/library/books.csv");

      expect(text === `id,title\r\n1,"${title.replaceAll('"', '""')}"\r\n`).to.equal(true);
    });
  }

  it("is one page of a table, and says when there is more", async () => {
    const rowhouse = await rowhouseFor({ tables: { numbers: numbers(3) } });

    const page = await rowhouse.get("/library/numbers.csv?_size=2");
    const whole = await rowhouse.get("/library/numbers.csv");

    expect(page.text).to.equal("id\r\n1\r\n2\r\n");
    expect(page.headers["rowhouse-truncated"]).to.equal("true");
    expect(whole.text).to.equal("id\r\n1\r\n2\r\n3\r\n");
    expect(whole.headers["rowhouse-truncated"]).to.equal(undefined);
  });

  it("is shown by browsers unless _dl asks for a file", async () => {
    const rowhouse = await rowhouseFor({ tables: { "a b": [{ id: 1 }] } });

    const shown = await rowhouse.get("/library/a+b.csv");
    const saved = await rowhouse.get("/library/a+b.csv?_dl=on");

    expect(shown.headers["content-type"]).to.equal("text/plain; charset=utf-8");
    expect(saved.headers["content-type"]).to.equal("text/csv; charset=utf-8");
    expect(saved.headers["content-disposition"]).to.equal(
      `attachment; filename="a+b.csv"; filename*=UTF-8''a%20b.csv`,
    );
  });

  it("_stream sends every row, page limits aside", async () => {
    const rowhouse = await rowhouseFor({
      tables: { numbers: numbers(250) },
      settings: { max_returned_rows: 20 },
    });

    const table = await rowhouse.get("/library/numbers.csv?_stream=on");
    const query = await rowhouse.get("/library.csv?sql=select+id+from+numbers&_stream=on");

    expect(table.text.split("\r\n")).to.have.length(252);
    expect(query.text).to.equal(table.text);
  });

  it("_stream is refused from the middle, and when it is switched off", async () => {
    const tables = { numbers: numbers(3) };
    const rowhouse = await rowhouseFor({ tables });
    const without = await rowhouseFor({ tables, settings: { allow_csv_stream: false } });

    const middle = await rowhouse.get("/library/numbers.csv?_stream=1&_next=1");
    const off = await without.get("/library/numbers.csv?_stream=1");

    expect(middle.status).to.equal(400);
    expect(middle.text).to.include("_next not allowed for CSV streaming");
    expect(off.status).to.equal(400);
    expect(off.text).to.include("CSV streaming is disabled");
  });

  it("stops at max_csv_mb with a sentence", async () => {
    const rowhouse = await rowhouseFor({ settings: { max_csv_mb: 1 } });
    const sql =
      "with recursive n(i) as (select 1 union all select i+1 from n where i < 999) select hex(zeroblob(1024)) as z from n";

    const reply = await rowhouse.get(`/library.csv?_stream=1&sql=${encodeURIComponent(sql)}`);

    expect(reply.status).to.equal(200);
    expect(reply.text).to.match(/0\r\nCSV contains more than 1048576 bytes$/);
    expect(reply.text.length).to.be.below(1048576 + 50);
  });

  it("says in a header that max_csv_mb cuts a page, whether its text is long or short", async () => {
    const rowhouse = await rowhouseFor({ settings: { max_csv_mb: 1 } });
    const page = (rows: number, bytes: number) => {
      const sql = `with recursive n(i) as (select 1 union all select i+1 from n where i < ${rows}) select hex(zeroblob(${bytes} / 2)) as z from n`;
      return rowhouse.get(`/library.csv?sql=${encodeURIComponent(sql)}`);
    };

    for (const [rows, bytes, cut] of [
      [3, 500_000, "true"],
      [2, 600_000, "true"],
      [1, 2_000_000, "true"],
      [2, 510_000, undefined],
    ] as const) {
      const { headers, text } = await page(rows, bytes);
      expect(headers["rowhouse-truncated"], `${rows} of ${bytes}`).to.equal(cut);
      expect(text.includes("CSV contains more than"), `${rows} of ${bytes}`).to.equal(cut === "true");
    }
  });

  it("answers an SQL error with an error, streamed or not", async () => {
    const rowhouse = await rowhouseFor();

    for (const more of ["", "&_stream=1"]) {
      const reply = await rowhouse.get(`/library.csv?sql=select+nosuch${more}`);
      expect(reply.status, more).to.equal(400);
      expect(reply.text, more).to.include("no such column: nosuch");
    }
  });

  it("answers HEAD of a stream that fails as it answers GET", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table gone (id integer); create view broken as select id from gone; drop table gone;",
    });

    const head = await rowhouse.request("HEAD", "/library/broken.csv?_stream=1");
    const get = await rowhouse.get("/library/broken.csv?_stream=1");

    expect([head.status, get.status]).to.deep.equal([400, 400]);
  });

  it("says that the rows of a query are cut, unless all are streamed", async () => {
    const rowhouse = await rowhouseFor({
      tables: { numbers: numbers(3) },
      settings: { max_returned_rows: 2, trace_debug: true },
    });
    const path = "/library.csv?sql=select+id+from+numbers";

    for (const [more, cut] of [
      ["", "true"],
      ["&_trace=1", "true"],
      ["&_stream=1", undefined],
    ] as const)
      expect((await rowhouse.get(path + more)).headers["rowhouse-truncated"], more).to.equal(cut);
  });

  it("with _trace=1 is text inside of a page, whatever the fields contain", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "</textarea><script>" }] },
      settings: { trace_debug: true },
    });

    for (const more of ["", "&_stream=1"]) {
      const { headers, text } = await rowhouse.get(`/library/books.csv?_trace=1${more}`);
      expect(headers["content-type"], more).to.equal("text/html; charset=utf-8");
      expect(text, more).to.include("1,&lt;/textarea&gt;&lt;script&gt;").and.not.include("<script>");
    }
  });

  it("writes infinities as words, and has no limit if max_csv_mb is 0", async () => {
    const rowhouse = await rowhouseFor({ settings: { max_csv_mb: 0 } });

    const { text } = await rowhouse.get("/library.csv?sql=select+9e999+as+a,-9e999+as+b");

    expect(text).to.equal("a,b\r\ninf,-inf\r\n");
  });

  it("is 400 for a page without rows", async () => {
    const reply = await (await rowhouseFor()).get("/library.csv");

    expect(reply.status).to.equal(400);
  });

  it("links bytes in their row, and in queries by their hash", async () => {
    const bytes = new Uint8Array([1, 255]);
    const rowhouse = await rowhouseFor({ tables: { scans: [{ id: 7, scan: bytes }] } });
    const hash = createHash("sha256").update(bytes).digest("hex");

    const table = await rowhouse.get("/library/scans.csv?_header=off");
    const query = await rowhouse.get("/library.csv?_header=off&sql=select+scan+from+scans");

    expect(table.text).to.equal(`7,${rowhouse.origin}/library/scans/7.blob?_blob_column=scan\r\n`);
    expect(query.text).to.equal(
      `${rowhouse.origin}/library.blob?_header=off&sql=select+scan+from+scans&_blob_column=scan&_blob_hash=${hash}\r\n`,
    );
    const linked = await rowhouse.get(query.text.trim().slice(rowhouse.origin.length));
    expect([...linked.bytes]).to.deep.equal([1, 255]);
  });

  it("links bytes by their hash where a row has no address of its own", async () => {
    const rowhouse = await rowhouseFor({
      tables: { scans: "code text primary key, scan" },
      sql: "insert into scans values ('', x'01ff'), (null, x'02ff')",
    });

    const { text } = await rowhouse.get("/library/scans.csv?_header=off&_sort=scan");

    const links = text
      .trim()
      .split("\r\n")
      .map((line) => line.slice(1 + rowhouse.origin.length));
    const fetched = await Promise.all(links.map(async (link) => [...(await rowhouse.get(link)).bytes]));
    expect(fetched).to.deep.equal([
      [1, 255],
      [2, 255],
    ]);
  });
});
