import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../harness/index.js";

const PATHS = [
  "/",
  "/.json",
  "/library",
  "/library.json",
  "/library.json?sql=select+1",
  "/library.json?sql=nonsense",
  "/library.csv?sql=select+*+from+books",
  "/library.csv?sql=select+*+from+books&_stream=1",
  "/library.json?sql=select+*+from+books&_shape=array&_nl=on&_stream=1",
  "/library/books",
  "/library/books.json",
  "/library/books.json?_size=1",
  "/library/books.json?_shape=array&_nl=on",
  "/library/books.json?_shape=array&_nl=on&_stream=1",
  "/library/books.csv",
  "/library/books.csv?_size=1",
  "/library/books.csv?_dl=on",
  "/library/books.csv?_stream=1",
  "/library/books.csv?_stream=1&_trace=1",
  "/library/books/1",
  "/library/books/1.json",
  "/library/books/1.blob?_blob_column=title",
  "/library/one",
  "/library/one.json",
  "/library/one.csv?_stream=1",
  "/frozen.db",
  "/library/nothing",
  "/library/nothing.json",
  "/library/books/",
  "/library/books.jsono",
  "/-/settings.json",
  "/-/static/app.css",
  "/-/static/nothing.css",
  "/favicon.ico",
  "/-/openapi.json",
] as const;

const title = "A title that is long enough to be worth compressing. ".repeat(40);

/** Two moments are not the same; and a body whose length is not known is only announced where it follows. */
const comparable = ({ status, headers }: TestReply): object => {
  const {
    date: _date,
    "x-request-id": _id,
    "transfer-encoding": _chunked,
    "set-cookie": _masked,
    connection: _kept,
    ...rest
  } = headers;
  return { status, ...rest };
};

describe("HEAD", () => {
  let rowhouse: TestRowhouse;

  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { books: [1, 2, 3].map((id) => ({ id, title })) },
      databases: { frozen: "create table t (a)" },
      immutable: ["frozen"],
      metadata: { databases: { library: { queries: { one: "select * from books" } } } },
    });
  });

  for (const path of PATHS) {
    for (const coding of ["identity", "gzip", "br"]) {
      it(`has the status and the headers of GET: ${path} (${coding})`, async () => {
        const headers = { "accept-encoding": coding };

        const sent = await rowhouse.get(path, { headers });
        const head = await rowhouse.request("HEAD", path, { headers });

        expect(comparable(head)).to.deep.equal(comparable(sent));
        expect(head.bytes.length).to.equal(0);
      });
    }
  }

  it("leaves the body to a GET that comes after it", async () => {
    for (const path of [
      "/library/books.json?_nl=on&_shape=array&_stream=1&_a=1",
      "/library/books.csv?_stream=1&_a=1",
    ]) {
      await rowhouse.request("HEAD", path);

      expect((await rowhouse.get(path)).text.length, path).to.be.above(3 * title.length);
    }
  });
});
