import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

describe("Labels of foreign keys whose numbers have another type than the key", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table makers (id integer primary key, name text);
        insert into makers values (0, 'Zero'), (1, 'Acme'), (9007199254740993, 'Large');
        create table sizes (size real primary key, name text);
        insert into sizes values (2.0, 'two'), (2.5, 'two and a half');
        create table products (id integer primary key, maker real references makers(id), size numeric references sizes(size));
        insert into products values (1, 1.0, 2), (2, 0.0, 2.5), (3, 9007199254740992.0, 3), (4, null, null);`,
    });
  });

  it("are found for equal numbers, in rows, facets and groups", async () => {
    const { text } = await rowhouse.get("/library/products.json?_shape=array&_labels=on");
    expect(JSON.parse(text).map((row: Record<string, unknown>) => [row["maker"], row["size"]])).to.deep.equal(
      [
        [
          { value: 1, label: "Acme" },
          { value: 2, label: "two" },
        ],
        [
          { value: 0, label: "Zero" },
          { value: 2.5, label: "two and a half" },
        ],
        [9007199254740992, 3],
        [null, null],
      ],
    );
    expect(text).to.include('"maker": {"value": 1.0, "label": "Acme"}');

    const facet = await rowhouse.get("/library/products.json?_facet=maker&_nosuggest=1&_size=0");
    const values = facet.json.facet_results.maker.results as readonly { readonly label: unknown }[];
    expect(values.map(({ label }) => label)).to.deep.equal(["Zero", "Acme", 9007199254740992]);

    const groups = await rowhouse.get("/library/products.csv?_group=maker&_labels=on&maker__lt=2");
    expect(groups.text).to.equal("maker,maker_label,count\r\n0.0,Zero,1\r\n1.0,Acme,1\r\n");
  });

  it("lead to the row on pages", async () => {
    const { text } = await rowhouse.get("/library/products?id=1");
    const [, link = ""] = /href="([^"]*)">Acme</.exec(text) ?? [];

    expect((await rowhouse.get(`${link}.json`)).json.rows).to.deep.equal([[1, "Acme"]]);
  });
});

it("Labels of foreign keys that are bytes are those of exactly these bytes", async () => {
  const rowhouse = await rowhouseFor({
    sql: `
      create table files (hash blob primary key, name text);
      insert into files values (x'aa', 'first'), (x'bb', 'second'), (x'33', 'third');
      create table uses (id integer primary key, hash blob references files(hash), n integer references files(hash));
      insert into uses values (1, x'aa', 51), (2, x'bb', 3), (3, x'33', null), (4, x'cc', null);`,
  });

  const { json } = await rowhouse.get("/library/uses.json?_shape=array&_labels=on");
  expect(json.map(({ hash }: { hash: { label?: string } }) => hash.label)).to.deep.equal([
    "first",
    "second",
    "third",
    undefined,
  ]);
  expect(json.map(({ n }: { n: unknown }) => n)).to.deep.equal([51, 3, null, null]);

  const facet = await rowhouse.get("/library/uses.json?_facet=hash&_size=0&_nosuggest=1");
  const values = facet.json.facet_results.hash.results as readonly { readonly label: unknown }[];
  expect(values.map(({ label }) => label)).to.deep.equal([
    "third",
    "first",
    "second",
    { $base64: true, encoded: "zA==" },
  ]);

  const groups = await rowhouse.get("/library/uses.json?_group=hash&_labels=on&_shape=array&id__lt=3");
  expect(groups.json.map(({ hash }: { hash: { label?: string } }) => hash.label)).to.deep.equal([
    "first",
    "second",
  ]);
});

describe("Foreign keys to a column that does not exist", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table makers (name text primary key, country text) without rowid;
        create view listed as select * from makers;
        create table products (id integer primary key, a text references makers(nosuch), b text references listed);
        insert into products values (1, 'x', 'y');`,
    });
  });

  for (const path of [
    "products",
    "products.json?_labels=on",
    "products.csv?_labels=on&_stream=on",
    "products.json?_facet=a&_facet=b",
    "products?_group=a,b",
    "products/1",
    "products/-/autocomplete.json?column=a",
    "products/-/columns",
    "makers",
  ]) {
    it(`have no labels, and the page has its rows: ${path}`, async () => {
      const { status, text } = await rowhouse.get(`/library/${path}`);

      expect(status, text).to.equal(200);
    });
  }

  it("are not offered for labels", async () => {
    const { json } = await rowhouse.get("/library/products.json?_labels=on");

    expect(json.expandable_columns).to.deep.equal([]);
    expect(json.rows).to.deep.equal([[1, "x", "y"]]);
  });
});

it("The label of a column with two foreign keys leads to the row that has this label", async () => {
  const rowhouse = await rowhouseFor({
    sql: `
      create table people (id integer primary key, name text);
      insert into people values (1, 'Ann');
      create table teams (id integer primary key, name text);
      insert into teams values (1, 'Red');
      create table tasks (id integer primary key, owner integer references people(id) references teams(id));
      insert into tasks values (1, 1);`,
  });
  const { json } = await rowhouse.get("/library/tasks.json?_shape=array&_labels=on");

  for (const page of ["/library/tasks", "/library/tasks/1"]) {
    const { text } = await rowhouse.get(page);
    const [, link = "", label] = /href="(\/library\/(?:people|teams)\/1)">(\w+)</.exec(text) ?? [];
    expect(label).to.equal(json[0].owner.label);
    expect((await rowhouse.get(`${link}.json`)).json.rows).to.deep.equal([[1, label]]);
  }
});

const related = (makers: string, metadata: object = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    sql: `create table makers (${makers});
      create table shops (a integer, b integer, primary key (a, b));
      create table products (id integer primary key, maker integer references makers, a, b, other integer references makers,
        foreign key (a, b) references shops);
      insert into makers values (1, 'x', 'Acme'); insert into shops values (1, 2);
      insert into products values (1, 1, 1, 2, 1);`,
    metadata: { databases: { library: { tables: { makers: metadata } } } },
  });
const labelOf = async (rowhouse: TestRowhouse): Promise<unknown> =>
  (await rowhouse.get("/library/products.json?_shape=array&_labels=on")).json[0].maker;

describe("The column that names a row", () => {
  it("is called name or title, in any case, and is none of several others", async () => {
    const columns = "pk integer primary key, code text, Name text";

    expect(await labelOf(await related(columns))).to.deep.equal({ value: 1, label: "Acme" });
    expect(await labelOf(await related("pk integer primary key, code text, maker text"))).to.deep.equal({
      value: 1,
      label: "1",
    });
  });

  it("is the column beside a key pk", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table makers (pk integer primary key, maker text); insert into makers values (1, 'Acme');
        create table products (id integer primary key, maker integer references makers);
        insert into products values (1, 1)`,
    });

    expect(await labelOf(rowhouse)).to.deep.equal({ value: 1, label: "Acme" });
  });

  it("is none if the metadata names a column that is gone, which breaks no page", async () => {
    const rowhouse = await related("pk integer primary key, code text, name text", { label_column: "gone" });

    expect(await labelOf(rowhouse)).to.deep.equal({ value: 1, label: "1" });
  });

  it("labels only keys of one column, and with _label only those that it names", async () => {
    const rowhouse = await related("pk integer primary key, code text, name text");

    const { json } = await rowhouse.get("/library/products.json?_label=other&_shape=objects");

    expect(json.rows).to.deep.equal([{ id: 1, maker: 1, a: 1, b: 2, other: { value: 1, label: "Acme" } }]);
    const columns = json.expandable_columns as readonly (readonly [{ readonly column: string }, string])[];
    expect(columns.map(([{ column }]) => column)).to.have.members(["maker", "other"]);
  });
});
