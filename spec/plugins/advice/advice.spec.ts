import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const ROWS = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)";

const sql = `
  create table authors (id integer primary key, name text);
  create table books (id integer primary key, title text, author_id integer references authors(id), year integer);
  create table secrets (id integer primary key, word text, owner text);
  create table mine (id integer primary key, word text, owner text);
  create table races (id integer primary key, constructor text);
  create view published as select word from secrets;
  insert into authors values (1, 'Jane');
  ${ROWS} insert into books select i, 'title ' || i, 1, 1900 + i % 100 from n;
  ${ROWS} insert into races select i, 'team ' || i from n;
  ${ROWS} insert into secrets select i, 'word ' || i, 'ann' from n;
  ${ROWS} insert into mine select i, 'word ' || i, 'ann' from n;
`;

/** Hides rows of `mine`. */
const ownRows = definePlugin({
  name: "own-rows",
  read_scope: () => ({ table: "mine", where: "owner = :owner", params: { owner: "bob" } }),
});

const metadata = { databases: { library: { tables: { secrets: { allow: { id: "root" } } } } } };

/** Joins of 2,000 rows, without an index, take longer than the time limit on any machine. */
const slow = (table: string): string =>
  `select count(*) from ${table} a join ${table} b on a.word like b.word || '%' join ${table} c join ${table} d`;

interface Advised {
  readonly reason: string;
  readonly index: string | null;
}

describe("advice on slow statements", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql,
      metadata,
      plugins: [ownRows],
      settings: { trace_debug: true, sql_time_limit_ms: 300 },
    });
  });

  /** The advice on the statement of a page, from `?_trace=1`. */
  async function traced(path: string, options = {}): Promise<readonly Advised[]> {
    const { json } = await rowhouse.get(`${path}&_trace=1`, options);
    return json["_trace"].traces.flatMap((trace: { advice?: Advised[] }) => trace.advice ?? []);
  }
  const ofSql = (statement: string, options = {}): Promise<readonly Advised[]> =>
    traced(`/library.json?sql=${encodeURIComponent(statement)}`, options);

  const cases: readonly (readonly [statement: string, index: string | null])[] = [
    ["select * from books where year = 1950", '"books"("year")'],
    ["select * from races where constructor = 'team 1'", '"races"("constructor")'],
    ["select * from books b where b.year > 1950 order by b.title limit 3", '"books"("title")'],
    ["select * from books where author_id = 1 and year between 1 and 9", '"books"("author_id", "year")'],
    ["select title from books where year = 1 order by title desc, id", '"books"("year", "title")'],
    ["select year, count(*) from books group by year", '"books"("year")'],
    ["select * from (select * from books) where title = 'x'", '"books"("title")'],
    ["select * from authors a join books b on b.author_id = a.id", '"books"("author_id")'],
    ["select * from books where year = 1 or title = 'x'", '"books"("year")'],
    ["with new as (select * from books where year > 1990) select * from new", '"books"("year")'],
    ["select * from books where upper(title) = 'X'", null],
    ["select * from books where year + 1 = 1950", null],
    ["select * from books where not (year = 1950)", null],
    ["select * from (select * from books limit 500) where year = 1950", null],
  ];
  for (const [statement, index] of cases) {
    it(`suggests ${index ?? "no index"} for ${statement}`, async () => {
      const advice = await ofSql(statement);

      const suggested = advice.flatMap((one) => one.index ?? []);
      expect(advice).to.not.deep.equal([]);
      expect(suggested.map((text) => text.replace(/^create index ".*" on /, ""))).to.deep.equal(
        index === null ? [] : [index],
      );
    });
  }

  it("suggests indexes that SQLite then uses", async () => {
    const statement = "select * from books where author_id = 1 and year > 1990";
    const [advice] = await ofSql(statement);
    const other = await rowhouseFor({
      sql: `${sql}; ${advice?.index ?? ""}`,
      settings: { trace_debug: true },
    });

    const { json } = await other.get(
      `/library.json?sql=${encodeURIComponent(`explain query plan ${statement}`)}`,
    );

    expect(JSON.stringify(json.rows)).to.include("USING INDEX books_author_id_year");
  });

  for (const statement of [
    "select * from books where id = 5",
    "select * from authors where name = 'Jane'",
    "select 1",
    "explain query plan select * from books",
  ]) {
    it(`has none on ${statement}`, async () => {
      expect(await ofSql(statement)).to.deep.equal([]);
    });
  }

  it("explains the statements of a table page", async () => {
    const advice = await traced("/library/books.json?year=1950&_sort=title");

    expect(advice.map(({ index }) => index)).to.include(
      'create index "books_year_title" on "books"("year", "title")',
    );
  });

  it("is part of the error of a statement that ran out of time", async () => {
    const statement =
      "select count(*) from books a join books b on a.title like b.title join books c join books d";
    const path = `/library.json?sql=${encodeURIComponent(statement)}`;

    const { status, json } = await rowhouse.get(path);

    expect(status).to.equal(400);
    expect(json["title"]).to.equal("SQL Interrupted");
    expect(json["advice"]).to.deep.equal([{ reason: "reads every row of books", index: null }]);
    const page = await rowhouse.get(path.replace(".json", ""));
    expect(page.text).to.include("It reads every row of books.").and.to.include("<textarea");
    const german = await rowhouse.get(path.replace(".json", ""), { headers: { "accept-language": "de" } });
    expect(german.text).to.include("<li>Sie liest alle Zeilen von books.</li>");
  });

  it("names no table that the actor may not view, though its SQL may read it", async () => {
    const path = `/library.json?sql=${encodeURIComponent(slow("secrets"))}`;

    expect((await rowhouse.get(path)).json["advice"]).to.equal(undefined);
    expect((await rowhouse.get(path, { as: "root" })).json["advice"]).to.have.length(1);
    expect(await ofSql("select * from secrets where word = 'x'")).to.deep.equal([]);
  });

  it("does not look behind a view for an actor who may not view its table", async () => {
    expect(await traced("/library/published.json?word=x")).to.deep.equal([]);
    expect(await traced("/library/published.json?word=x", { as: "root" })).to.not.deep.equal([]);
  });

  it("says nothing about a table with hidden rows", async () => {
    expect(await traced("/library/mine.json?word=x")).to.deep.equal([]);
  });
});
