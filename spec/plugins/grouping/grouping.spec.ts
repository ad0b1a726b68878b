import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const SQL = `
  create table genres (id integer primary key, name text);
  insert into genres values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text, genre_id integer references genres(id), price real, year integer,
    added text, seen integer, "a,b (c)" text, count text);
  insert into books values
    (1, 'Emma', 1, 10, 1815, '2023-12-31 23:30:00', 1704067800, 'x', 'm'),
    (2, 'Hamlet', 2, 5, 1603, '2024-01-01', 1704067800, 'x', 'm'),
    (3, 'Persuasion', 1, null, 1817, '2024-02-29T10:15:00', 1706789400, 'y', 'n'),
    (4, 'Untitled', null, 2.5, null, 'no date', 7, null, 'n'),
    (5, 'Othello', 2, 5, 1604, null, null, 'y', null);
  create view novels as select genre_id, price from books where genre_id = 1;
`;

/** As many groups of one column. */
const intervals = (count: number): string =>
  Array.from({ length: count }, (_, index) => `interval(price,${index + 1})`).join(",");

describe("the page of groups", () => {
  it("has the title of the table in the metadata as heading", async () => {
    const metadata = { databases: { library: { tables: { books: { title: "Our <books>" } } } } };
    const rowhouse = await rowhouseFor({ sql: SQL, metadata });

    const titled = await rowhouse.get("/library/books?_group=genre_id");
    const plain = await rowhouse.get("/library/genres?_group=name");

    expect(titled.text).to.match(/<h1[^>]*>Our &lt;books&gt; by genre_id<\/h1>/);
    expect(plain.text).to.match(/<h1[^>]*>genres by name<\/h1>/);
  });
});

describe("rows in groups", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql: SQL });
  });

  it("have their terms read in linear time", async () => {
    const began = performance.now();
    const { status } = await rowhouse.get(`/library/books.json?_group=${",".repeat(60_000)}title`);

    expect(status).to.equal(200);
    expect(performance.now() - began).to.be.below(700);
  });

  const groups = async (query: string) => {
    const { status, json, text } = await rowhouse.get(`/library/books.json?${query}`);
    expect(status, text).to.equal(200);
    return json.rows;
  };

  it("are counted by the values of a column", async () => {
    expect(await groups("_group=genre_id")).to.deep.equal([
      [null, 1],
      [1, 2],
      [2, 2],
    ]);
  });

  it("have sums, means, extremes and numbers of different values", async () => {
    const aggregates = "count,sum(price),avg(price),min(year),max(year),count(distinct price),count(price)";
    const { json } = await rowhouse.get(
      `/library/books.json?_group=genre_id&_agg=${encodeURIComponent(aggregates)}`,
    );

    expect(json.columns).to.deep.equal(["genre_id", ...aggregates.split(",")]);
    expect(json.groups).to.deep.equal(["genre_id"]);
    expect(json.aggregates).to.deep.equal(aggregates.split(","));
    expect(json.rows).to.deep.equal([
      [null, 1, 2.5, 2.5, null, null, 1, 1],
      [1, 2, 10, 10, 1815, 1817, 1, 1],
      [2, 2, 10, 5, 1603, 1604, 1, 2],
    ]);
    expect(json.filtered_table_rows_count).to.equal(3);
  });

  it("add up the numbers of a column, not its texts", async () => {
    const mixed = await rowhouseFor({
      sql: "create table things (size); insert into things values (1), (2.5), ('40'), ('50 cm'), (x'3939')",
    });
    const { json } = await mixed.get("/library/things.json?_agg=sum(size),avg(size),count(size)");
    expect(json.rows).to.deep.equal([[3.5, 1.75, 5]]);
  });

  it("are a single group without a column", async () => {
    expect(await groups("_agg=count,max(year)")).to.deep.equal([[5, 1817]]);
    expect(await groups("_agg=count&title=nothing")).to.deep.equal([[0]]);
    for (const filter of ["", "&title=nothing"]) {
      const { json } = await rowhouse.get(`/library/books.json?_agg=count${filter}`);
      expect(json.filtered_table_rows_count).to.equal(1);
    }
  });

  for (const [step, expected] of [
    [
      "year",
      [
        [null, 2],
        ["2023", 1],
        ["2024", 2],
      ],
    ],
    [
      "quarter",
      [
        [null, 2],
        ["2023-Q4", 1],
        ["2024-Q1", 2],
      ],
    ],
    [
      "month",
      [
        [null, 2],
        ["2023-12", 1],
        ["2024-01", 1],
        ["2024-02", 1],
      ],
    ],
    [
      "week",
      [
        [null, 2],
        ["2023-12-25", 1],
        ["2024-01-01", 1],
        ["2024-02-26", 1],
      ],
    ],
    [
      "day",
      [
        [null, 2],
        ["2023-12-31", 1],
        ["2024-01-01", 1],
        ["2024-02-29", 1],
      ],
    ],
    [
      "hour",
      [
        [null, 2],
        ["2023-12-31 23:00", 1],
        ["2024-01-01 00:00", 1],
        ["2024-02-29 10:00", 1],
      ],
    ],
  ] as const) {
    it(`are counted by ${step}`, async () => {
      expect(await groups(`_group=date(added,${step})`)).to.deep.equal(expected);
    });
  }

  it("take dates with slashes in the order of ISO 8601, and no others", async () => {
    const own = await rowhouseFor({
      sql: `create table days (day text); insert into days values
        ('2024/02/29'), ('2024/02/01 10:30'), ('2024-03-01'), ('01/02/2024'), ('2024/2/1'), ('2024/13/01'), ('Jun 12 1998')`,
    });
    const { json } = await own.get("/library/days.json?_group=date(day,month)&_agg=count&_shape=arrays");
    const { json: found } = await own.get(
      "/library/days.json?_in_group=date(day,month):2024-02&_shape=arrayfirst",
    );

    expect(json.rows).to.deep.equal([
      [null, 4],
      ["2024-02", 2],
      ["2024-03", 1],
    ]);
    expect(found).to.have.length(2);
  });

  it("take numbers as seconds since 1970, unless they are small", async () => {
    expect(await groups("_group=date(seen,month)")).to.deep.equal([
      [null, 2],
      ["2024-01", 2],
      ["2024-02", 1],
    ]);
  });

  it("combine several groups", async () => {
    expect(await groups("_group=genre_id,date(added,year)")).to.deep.equal([
      [null, null, 1],
      [1, "2023", 1],
      [1, "2024", 1],
      [2, null, 1],
      [2, "2024", 1],
    ]);
  });

  it("are of the rows that filters select", async () => {
    expect(await groups("_group=genre_id&price__gt=4&year__lt=1700")).to.deep.equal([[2, 2]]);
    expect(await groups("_group=genre_id&_where=year+%3E+1800")).to.deep.equal([[1, 2]]);
  });

  it("are sorted by groups and aggregates", async () => {
    const sum = encodeURIComponent("count,sum(price)");
    expect(await groups(`_group=genre_id&_agg=${sum}&_order=-sum(price),-genre_id`)).to.deep.equal([
      [2, 2, 10],
      [1, 2, 10],
      [null, 1, 2.5],
    ]);
    expect(await groups("_group=genre_id&_sort=count")).to.deep.equal([
      [null, 1],
      [1, 2],
      [2, 2],
    ]);
    expect(await groups("_group=genre_id&_sort_desc=count")).to.deep.equal([
      [1, 2],
      [2, 2],
      [null, 1],
    ]);
  });

  it("come in pages", async () => {
    const first = (await rowhouse.get("/library/books.json?_group=title&_agg=&_size=3")).json;
    const second = (await rowhouse.get(String(first.next_url).slice(rowhouse.origin.length))).json;

    expect(first.rows.map(([title]: [string]) => title)).to.deep.equal(["Emma", "Hamlet", "Othello"]);
    expect(second.rows.map(([title]: [string]) => title)).to.deep.equal(["Persuasion", "Untitled"]);
    expect([first.next, second.next, second.next_url]).to.deep.equal(["3", null, null]);
  });

  it("have labels, in JSON and CSV", async () => {
    const json = await groups("_group=genre_id&_labels=on&_shape=objects&genre_id__notnull=1");
    const { text } = await rowhouse.get("/library/books.csv?_group=genre_id&_labels=on");
    const all = await rowhouse.get("/library/books.csv?_group=genre_id&_stream=on&_agg=sum(price)");

    expect(json).to.deep.equal([
      { genre_id: { value: 1, label: "Novel" }, count: 2 },
      { genre_id: { value: 2, label: "Play" }, count: 2 },
    ]);
    expect(text).to.equal("genre_id,genre_id_label,count\r\n,,1\r\n1,Novel,2\r\n2,Play,2\r\n");
    expect(all.text).to.equal("genre_id,sum(price)\r\n,2.5\r\n1,10.0\r\n2,10.0\r\n");
  });

  it("take any name of a column, tilde-encoded", async () => {
    expect(await groups("_group=a~2Cb+~28c~29&_agg=count(a~2Cb+~28c~29)")).to.deep.equal([
      [null, 0],
      ["x", 2],
      ["y", 2],
    ]);
  });

  it("tell the number of rows from a column of this name", async () => {
    expect(await groups("_group=count&_shape=objects")).to.deep.equal([
      { count: null, "count(*)": 1 },
      { count: "m", "count(*)": 2 },
      { count: "n", "count(*)": 2 },
    ]);
  });

  it("are read from views", async () => {
    expect(
      (await rowhouse.get("/library/novels.json?_group=genre_id&_agg=sum(price)")).json.rows,
    ).to.deep.equal([[1, 10]]);
  });

  for (const [query, error] of [
    ["_group=nothing", "_group=nothing - invalid column"],
    [
      "_group=date(added,century)",
      "_group=date(added,century) - the step of a date is one of year, quarter, month, week, day, hour",
    ],
    ["_group=title&_agg=median(price)", "_agg=median(price) - use count"],
    ["_agg=sum(distinct+price)", "_agg=sum(distinct price) - use count"],
    ["_agg=sum(nothing)", "_agg=nothing - invalid column"],
    ["_group=title&_order=price", "Cannot sort groups by price"],
    ["_group=title&_size=x", "_size must be a positive integer"],
    ["_group=title&_next=x", "Invalid _next token"],
  ] as const) {
    it(`are refused for ${query}`, async () => {
      const { status, json } = await rowhouse.get(`/library/books.json?${query}`);

      expect(status).to.equal(400);
      expect(json.error).to.include(error);
    });
  }

  it("have at most 32 columns, since the engine computes each of them for every row", async () => {
    const statuses = [31, 32].map(async (count) => {
      const { status } = await rowhouse.get(`/library/books.json?_group=${intervals(count)}&_agg=count`);
      return status;
    });

    expect(await Promise.all(statuses)).to.deep.equal([200, 400]);
  });

  it("contain nothing of hidden rows, columns and tables", async () => {
    const rules = definePlugin({
      name: "rules",
      read_scope: () => [{ table: "books", where: "price is not null", hiddenColumns: ["year"] }],
    });
    const closed = await rowhouseFor({
      sql: SQL,
      plugins: [rules],
      metadata: { databases: { library: { tables: { genres: { allow: false } } } } },
    });
    const found = async (query: string) => (await closed.get(`/library/books.json?${query}`)).json;

    expect((await found("_group=genre_id&_labels=on")).rows).to.deep.equal([
      [null, 1],
      [1, 1],
      [2, 2],
    ]);
    expect((await found("_group=year")).error).to.equal("_group=year - invalid column");
    expect((await found("_agg=max(year)")).error).to.equal("_agg=year - invalid column");
    expect((await closed.get("/library/genres.json?_group=name")).status).to.equal(403);
  });

  it("are shown with separated thousands and equal decimals, and with the stored number as title", async () => {
    const sums = await rowhouseFor({
      tables: {
        sales: [
          { id: 1, shop: "a", year: 1984, price: 1_234_567.5 },
          { id: 2, shop: "b", year: 2024, price: 0.25 },
          { id: 3, shop: "c", year: 2024, price: null },
        ],
      },
    });
    const path = "/sales?_group=shop&_agg=min(year),sum(price)";

    const english = (await sums.get(`/library${path}`)).text;
    const german = (await sums.get(`/library${path}`, { headers: { "accept-language": "de" } })).text;

    expect(english).to.match(
      />1984<[^]*title="1234567.5">1,234,567.500<[^]*title="0.25">0.250<[^]*class="type-none numeric"/,
    );
    expect(german).to.include(">1.234.567,500<").and.include(">0,250<");
  });

  it("show texts of aggregates as texts, folded if they are long", async () => {
    const long = "long ".repeat(200);
    const served = await rowhouseFor({
      tables: {
        books: [{ kind: "novel", title: long, pages: 7 }],
        plays: [{ kind: "play", title: "Hamlet", pages: 9 }],
      },
    });
    const page = async (table: string) =>
      (await served.get(`/library/${table}?_group=kind&_agg=min(title),max(pages)`)).text;

    expect(await page("plays"))
      .to.include('<th scope="col" class="" data-column="min(title)">')
      .and.include('<th scope="col" class="numeric" data-column="max(pages)">')
      .and.include('<td dir="auto">Hamlet</td>')
      .and.include('<td class="numeric type-float" >9</td>');
    expect(await page("books")).to.include(
      `<td dir="auto"><div class="long" tabindex="0">${long}</div></td>`,
    );
  });

  it("are a page with links to the rows of each group", async () => {
    const { status, text } = await rowhouse.get(
      "/library/books?_group=genre_id,date(added,month)&price__gt=1",
    );

    expect(status).to.equal(200);
    expect(text).to.include(
      'href="/library/books?price__gt=1&amp;genre_id=1&amp;_in_group=date%28added%2Cmonth%29%3A2023-12"',
    );
    expect(text).to.include(">Novel<");
    const link =
      "/library/books.json?price__gt=1&genre_id=1&_in_group=date%28added%2Cmonth%29%3A2023-12&_shape=arrayfirst";
    expect((await rowhouse.get(link)).json).to.deep.equal([1]);
  });

  it("are intervals of numbers, negative ones and fractions too", async () => {
    expect(await groups("_group=interval(price,5)&_agg=count")).to.deep.equal([
      [null, 1],
      [0, 1],
      [5, 2],
      [10, 1],
    ]);
    const numbers = await rowhouseFor({
      sql: `create table n (v); insert into n values (-1), (-10), (0.3), (0.29), (9007199254740993), ('text'), (x'00'), (7);`,
    });
    const found = async (width: string) =>
      (await numbers.get(`/library/n.json?_group=interval(v,${width})&_agg=count`)).text;

    expect(await found("10")).to.include('"rows": [[null, 2], [-10, 2], [0, 3], [9007199254740990, 1]]');
    expect(await found("0.1")).to.include("[0.2, 1], [0.3, 1], [7.0, 1]");
    expect((await numbers.get("/library/n.json?_group=interval(v,0)")).json.error).to.include("above 0");
    expect((await numbers.get("/library/n?_group=interval(v,10)")).text).to.include(
      "_in_group=interval%28v%2C10%29%3A-10",
    );
  });

  it("are in the description of the API", async () => {
    const { json } = await rowhouse.get("/-/openapi.json");
    const parameters = json.paths["/library/books.json"].get.parameters.map(
      ({ $ref = "" }: { $ref?: string }) => $ref.split("/").pop(),
    );

    expect(parameters).to.include.members(["group", "agg"]);
    expect(json.paths).to.have.property("/library/books/-/autocomplete.json");
  });
});

/** Dates as SQLite reads them, and values that only look like some. */
const DATES = [
  "2020-01-05",
  "2020-01-05 10:00:00",
  "2020-01-31T23:59:59Z",
  "2020-01zz",
  "2020-01",
  "2020",
  "2020-13-01",
  "2020-02-30",
  "2020-01-05junk",
  "12:00",
  "-4713-11-24",
  "0000-01-01",
  "9999-12-31 23:59",
  "2020-1-5",
  "",
  "2020-01-05T10:00:00+05:00",
  "2019-12-31T23:00:00-05:00",
].map((text) => `('${text}')`);
const NUMBERS = ["1", "-3", "-10", "5", "12.5", "'7'", "'abc'", "null", "x'3132'", "9007199254740993", "0.3"];

describe("the link of a group", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `create table days (id integer primary key, "on, (day)");
        insert into days ("on, (day)") values ${DATES.join(", ")}, (1577836800), (2020), (null), (x'323032302d30312d3035');
        create table numbers (id integer primary key, x);
        insert into numbers (x) values ${NUMBERS.map((one) => `(${one})`).join(", ")};`,
    });
  });

  const day = "on~2C~20~28day~29";
  const groupings = [
    ...["year", "quarter", "month", "week", "day", "hour"].map(
      (step) => ["days", `date(${day},${step})`] as const,
    ),
    ["numbers", "interval(x,5)"],
    ["numbers", "interval(x,0.1)"],
  ] as const;
  for (const [table, grouping] of groupings) {
    it(`selects exactly the rows that ${grouping} counts, also those without a date or number`, async () => {
      const { text } = await rowhouse.get(`/library/${table}?_group=${encodeURIComponent(grouping)}`);
      const rows = [
        ...text.matchAll(/<tr>\s*<td[^>]*><a href="([^"]+)".*?<\/a><\/td>\s*<td[^>]*>(\d+)<\/td>/gs),
      ];

      const counts = rows.map(([, , count]) => Number(count));
      const selected = await Promise.all(
        rows.map(async ([, href = ""]) => {
          const link = href.replace("?", ".json?").replaceAll("&amp;", "&");
          return (await rowhouse.get(link)).json.filtered_table_rows_count as unknown;
        }),
      );

      expect(rows.length).to.be.above(3);
      expect(selected).to.deep.equal(counts);
    });
  }

  it("can be removed from the page of the rows, and is kept by the form of further filters", async () => {
    const { text } = await rowhouse.get(`/library/numbers?_in_group=interval(x,5):5&_nosuggest=1`);

    expect(text).to.include('<span dir="auto">interval(x,5) = &quot;5&quot;</span>');
    expect(text).to.include('href="/library/numbers?_nosuggest=1"');
    expect(text).to.match(/<input type="hidden" name="_in_group" value="interval\(x,5\):5"/);
  });

  it("is given up to a hundred times, because its SQL is long", async () => {
    const address = "/library/numbers.json?";
    const argument = "_in_group=interval(x,5):5&";

    const most = await rowhouse.get(address + argument.repeat(100));
    const { status, json } = await rowhouse.get(address + argument.repeat(101));

    expect(most.status).to.equal(200);
    expect([status, json.error]).to.deep.equal([400, "At most 100 _in_group are allowed, not 101"]);
  });

  for (const wrong of [
    "",
    "x",
    "date(nope,day)",
    "date(x,minute)",
    "interval(x,0):1",
    "interval(x,5):y",
    "date(x",
  ]) {
    it(`is refused with 400 as ${JSON.stringify(wrong)}`, async () => {
      const { status, json } = await rowhouse.get(
        `/library/numbers.json?_in_group=${encodeURIComponent(wrong)}`,
      );

      expect(status).to.equal(400);
      expect(json.error).to.include("_in_group");
    });
  }
});
