import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const books = [
  { id: 1, title: "Emma", tags: '["novel"]' },
  { id: 2, title: "Ulysses", tags: "none" },
];

const library = () => rowhouseFor({ tables: { books } });

describe("_shape", () => {
  it("arrays, the default, gives rows as arrays", async () => {
    const reply = await (await library()).get("/library/books.json?_nosuggest=1");

    expect(reply.json.rows).to.deep.equal([
      [1, "Emma", '["novel"]'],
      [2, "Ulysses", "none"],
    ]);
  });

  it("objects gives rows as objects inside the same document", async () => {
    const reply = await (await library()).get("/library/books.json?_shape=objects&_nosuggest=1");

    expect(reply.json.rows).to.deep.equal(books);
    expect(reply.json.columns).to.deep.equal(["id", "title", "tags"]);
  });

  it("array is nothing but the rows", async () => {
    const reply = await (await library()).get("/library/books.json?_shape=array");

    expect(reply.json).to.deep.equal(books);
  });

  it("array with _nl is one object a line", async () => {
    const reply = await (await library()).get("/library/books.json?_shape=array&_nl=on&_col=title");

    expect(reply.headers["content-type"]).to.equal("text/plain");
    expect(reply.text).to.equal('{"id": 1, "title": "Emma"}\n{"id": 2, "title": "Ulysses"}');
  });

  it("arrayfirst is the first value of each row", async () => {
    const reply = await (await library()).get("/library.json?sql=select+title+from+books&_shape=arrayfirst");

    expect(reply.json).to.deep.equal(["Emma", "Ulysses"]);
  });

  it("object keys the rows by their paths", async () => {
    const rowhouse = await rowhouseFor({
      tables: { shelves: "room text, shelf text, primary key (room, shelf)" },
      sql: "insert into shelves values ('a/b', 'c d')",
    });

    const reply = await rowhouse.get("/library/shelves.json?_shape=object");

    expect(reply.json).to.deep.equal({ "a~2Fb,c+d": { room: "a/b", shelf: "c d" } });
  });

  it("object is refused in words where rows have no keys", async () => {
    const rowhouse = await library();

    const query = await rowhouse.get("/library.json?sql=select+1&_shape=object");

    expect(query.status).to.equal(200);
    expect(query.json).to.deep.equal({ ok: false, error: "_shape=object is only available on tables" });
  });

  for (const path of ["/library/books.json?_shape=square", "/library.json?sql=select+1&_shape=square"]) {
    it(`of an unknown kind is a bad request: ${path}`, async () => {
      const reply = await (await library()).get(path);

      expect(reply.status).to.equal(400);
      expect(reply.json.error).to.equal("Invalid _shape: square");
    });
  }

  for (const shape of ["array", "arrayfirst"]) {
    it(`${shape} is refused on a page without rows, in the published words`, async () => {
      const reply = await (await library()).get(`/library.json?_shape=${shape}`);

      expect(reply.status).to.equal(400);
      expect(reply.json.error).to.equal("_shape=array is only available on tables and queries");
    });
  }

  it("does not hide an SQL error", async () => {
    const reply = await (await library()).get("/library.json?sql=select+nosuch&_shape=array");

    expect(reply.status).to.equal(400);
    expect(reply.json.error).to.equal("no such column: nosuch");
  });

  it("keeps the last of equal column names", async () => {
    const reply = await (await library()).get("/library.json?sql=select+1+as+a,+2+as+a&_shape=array");

    expect(reply.json).to.deep.equal([{ a: 2 }]);
  });
});

describe("the other arguments of JSON", () => {
  it("_json reads a column as JSON where it is JSON", async () => {
    const reply = await (await library()).get("/library/books.json?_shape=array&_json=tags&_col=tags");

    expect(reply.json).to.deep.equal([
      { id: 1, tags: ["novel"] },
      { id: 2, tags: "none" },
    ]);
  });

  it("_json_infinity writes infinities as words, which otherwise are null", async () => {
    const rowhouse = await library();
    const sql = "/library.json?sql=select+9e999+as+top&_shape=array";

    expect((await rowhouse.get(sql)).text).to.equal('[{"top": null}]');
    expect((await rowhouse.get(`${sql}&_json_infinity=on`)).text).to.equal('[{"top": Infinity}]');
    expect((await rowhouse.get(`${sql}&_json_infinity=maybe`)).status).to.equal(400);
  });

  it("_bigint=text quotes integers that a double cannot hold, and only those", async () => {
    const sql = "select+9007199254740993+as+big,+7+as+small";

    const reply = await (await library()).get(`/library.json?sql=${sql}&_shape=array&_bigint=text`);

    expect(reply.text).to.equal('[{"big": "9007199254740993", "small": 7}]');
  });

  it("integers are exact to the last digit without it", async () => {
    const reply = await (await library()).get("/library.json?sql=select+9007199254740993&_shape=arrayfirst");

    expect(reply.text).to.equal("[9007199254740993]");
  });

  it("a next page is linked in every shape", async () => {
    const rowhouse = await library();

    for (const shape of ["arrays", "objects", "array", "arrayfirst", "object"]) {
      const reply = await rowhouse.get(`/library/books.json?_size=1&_shape=${shape}`);
      expect(reply.headers.link, shape).to.match(/^<http:.*_next=1>; rel="next"$/);
    }
  });

  it(".jsono leads to objects", async () => {
    const reply = await (await library()).get("/library/books.jsono?_size=1");

    expect(reply.status).to.equal(302);
    expect(reply.headers.location).to.equal("/library/books.json?_size=1&_shape=objects");
  });
});
