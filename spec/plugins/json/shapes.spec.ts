import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "../../harness/index.js";

const books = [
  { id: 1, title: "Emma", tags: '["novel"]' },
  { id: 2, title: "Ulysses", tags: "none" },
];

const library = () => rowhouseFor({ tables: { books, pages: "n integer" } });

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
    expect((await rowhouse.get("/library/pages.json?_shape=object")).json).to.deep.equal({
      ok: false,
      error: "_shape=object not available for tables with no primary keys",
    });
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

  it("_bigint=text quotes them in facets, parameters, labels and JSON text too", async () => {
    const big = "9007199254740993";
    const rowhouse = await rowhouseFor({
      tables: {
        owners: "id integer primary key",
        cats: "id integer primary key, owner references owners, tags",
      },
      sql: `insert into owners values (${big}); insert into cats values (1, ${big}, '[${big}, 7, "${big}"]');`,
    });
    const path = `/library/cats.json?owner__in=[${big}]&_facet=owner&_labels=on&_nosuggest=1&_bigint=text`;

    for (const more of ["", "&_json=tags", "&_extra=facet_results,query", "&_shape=array&_json=tags"]) {
      const { text } = await rowhouse.get(path + more);
      const parsed = JSON.stringify(JSON.parse(text));
      expect(parsed, more).to.include(`"${big}"`).and.not.include("9007199254740992");
    }
    const { json } = await rowhouse.get(`${path}&_json=tags`);
    expect(json.facet_results.owner.results[0]).to.include({ value: big, label: big, count: 1 });
    expect(json.query.params).to.deep.equal({ p0: big });
    expect(json.rows[0][2]).to.deep.equal([big, 7, big]);
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
    const reply = await (await library()).get("/library/books.jsono?_size=1&_shape=array");

    const location = "/library/books.json?_size=1&_shape=objects";
    expect(reply.status).to.equal(302);
    expect(reply.headers).to.include({ location, link: `<${location}>; rel=preload` });
  });

  it("documents without rows ignore them", async () => {
    const rowhouse = await library();

    for (const [path, key] of [
      ["/-/versions.json", "rowhouse"],
      ["/-/jump.json", "matches"],
      ["/.json", "library"],
    ] as const) {
      const { status, json } = await rowhouse.get(`${path}?_shape=square&_json_infinity=maybe`);
      expect([path, status]).to.deep.equal([path, 200]);
      expect(json).to.have.property(key);
    }
  });

  it("headers of a page are sent in every shape", async () => {
    const rowhouse = await rowhouseFor({
      plugins: [
        definePlugin({
          name: "figures",
          register_routes: () => [
            {
              name: "figures",
              path: "/-/figures{.:format}",
              target: "instance",
              view: () => ({
                name: "figures",
                data: { ok: true, rows: [] },
                rows: { columns: ["n"], json: null, cells: [[1], [2]], keys: [] },
                headers: { "cache-control": "no-store", "x-figures": "2" },
              }),
            },
          ],
        }),
      ],
    });

    for (const form of ["", "?_shape=array", "?_shape=array&_nl=on", "?_shape=arrayfirst"]) {
      const { headers } = await rowhouse.get(`/-/figures.json${form}`);
      expect(headers, form).to.include({ "cache-control": "no-store", "x-figures": "2" });
    }
  });

  describe("on a page with labels", () => {
    const sql = `create table authors (id integer primary key, name text);
      insert into authors values (1, 'Austen'), (2, null);
      create table books (id integer primary key, price real, tags text, author_id integer references authors);
      insert into books values (1, 5.0, '["novel"]', 1), (2, 9e999, '[]', 1);`;
    const rows = async (more: string): Promise<string> => {
      const { text } = await (await rowhouseFor({ sql })).get(`/library/books.json?_labels=on${more}`);
      return /"rows": \[(.*?)\], "truncated"/.exec(text)?.[1] ?? text;
    };
    const label = '{"value": 1, "label": "Austen"}';

    it("rows are objects, and arrays if they hold an infinity that is null", async () => {
      expect(await rows("")).to.equal(
        `{"id": 1, "price": 5.0, "tags": "[\\"novel\\"]", "author_id": ${label}}, [2, null, "[]", ${label}]`,
      );
      expect(await rows("&_json_infinity=on&_col=price&_col=author_id")).to.equal(
        `{"id": 1, "price": 5.0, "author_id": ${label}}, {"id": 2, "price": Infinity, "author_id": ${label}}`,
      );
    });

    it("all rows are arrays if a column that is shown is embedded as JSON", async () => {
      expect(await rows("&_json=tags&_col=tags&_col=author_id")).to.equal(
        `[1, ["novel"], ${label}], [2, [], ${label}]`,
      );
      expect(await rows("&_json=tags&_col=author_id")).to.equal(
        `{"id": 1, "author_id": ${label}}, {"id": 2, "author_id": ${label}}`,
      );
    });
  });
});
