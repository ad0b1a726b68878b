import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { sqlTraces, type SqlTrace } from "rowhouse/plugin-api/contracts";
import { rowhouseFor, type Contents, type TestRowhouse } from "rowhouse/testing";

/** An actor reads the documents that are theirs. */
const mine: Plugin = definePlugin({
  name: "mine",
  read_scope: (_rowhouse, { actor, tables }) =>
    tables
      .filter(({ name }) => name === "docs")
      .map(({ name }) => ({ table: name, where: "owner = :me", params: { me: String(actor?.id ?? "") } })),
});

/** Bob's document, which Ann may not read. */
interface Hidden {
  readonly salary: number;
  readonly tags: string;
}

const script = ({ salary, tags }: Hidden, indexes = "") => `
  create table docs (id integer primary key, owner text, title text, salary integer, tags text);
  insert into docs values
    (1, 'ann', 'Mine', 10, '["red","blue"]'), (2, 'bob', 'Theirs', ${salary}, '${tags}'),
    (3, 'ann', 'Also mine', 30, '["red"]');
  alter table docs add column first_tag text generated always as (json_extract(tags, '$[0]')) virtual;
  ${indexes}
  create virtual table docs_fts using fts5(title, content='docs', content_rowid='id');
  insert into docs_fts(docs_fts) values ('rebuild');
  create table closed (id integer primary key, public integer, salary integer, tags text, secret_col text);
  insert into closed values (1, 1, 10, '["red"]', 'a'), (2, 0, ${salary}, '${tags}', 'b'), (3, 1, 30, '["blue"]', 'c');
  ${indexes.replaceAll("docs", "closed").replaceAll("owner", "public")}
  create view granted as select id, salary, tags from closed where public = 1;
  create view through_granted as select * from granted;
  create view tagged as select id, json_extract(tags, '$[0]') as tag from closed where public = 1;
  create table places (id integer primary key, public integer);
  insert into places values (1, 1), (2, 0);
  create table lists (id integer primary key, place integer, tags text);
  insert into lists values (1, 1, '["red"]'), (2, 2, '${tags}'), (3, 1, '["blue"]');
  alter table lists add column first_tag text generated always as (json_extract(tags, '$[0]')) virtual;
  create view computed as
    select lists.id, first_tag from lists join places on places.id = lists.place where places.public = 1;
  create table notes (id integer primary key, closed_id integer);
  insert into notes values (1, 1), (2, 2);`;

const METADATA = {
  permissions: { "delete-row": { id: "eve" } },
  databases: {
    library: {
      tables: {
        closed: { allow: { id: "root" } },
        granted: { allow: true },
        through_granted: { allow: true },
        tagged: { allow: true },
        lists: { allow: { id: "root" } },
        computed: { allow: true },
      },
    },
  },
};

const INDEXES = {
  none: "",
  salary: "create index docs_salary on docs(salary);",
  both: "create index docs_owner on docs(owner); create index docs_salary on docs(salary, owner);",
};

const serve = (sql: string, more: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ sql, plugins: [mine], settings: { confine_sql: true }, metadata: METADATA, ...more });

/** Fails on the rows, hidden ones among them, whose salary is the one that is guessed. */
const GUESS =
  "salary between 4242 and 4242 and abs(case when salary between 4242 and 4242 then -9223372036854775807-1 else 0 end)=0";

const guess = encodeURIComponent(GUESS);
const sql = (statement: string) => `/library.json?sql=${encodeURIComponent(statement)}&_shape=arrays`;
const pattern = "%25".repeat(50_001);

const attacks: readonly string[] = [
  `/library/docs.json?_where=${guess}`,
  `/library/docs.json?_where=${guess}&_sort_desc=salary`,
  `/library/docs.json?_where=${guess}&_nocount=1&_sort=title`,
  `/library/docs.json?_where=${guess}&_facet=title`,
  `/library/docs.json?_where=${guess}&_next=1`,
  `/library/docs.csv?_stream=on&_where=${guess}`,
  `/library/docs.json?_stream=on&_shape=array&_nl=on&_where=${guess}`,
  "/library/docs.json?tags__arraycontains=red",
  "/library/docs.json?tags__arraynotcontains=red",
  "/library/docs.json?tags__arraycontains=red&salary=10",
  "/library/docs.json?_facet_array=tags&_extras=suggested_facets",
  "/library/docs",
  "/library/docs.json?_facet_date=tags",
  "/library/docs.json?first_tag=red",
  "/library/docs.json?first_tag__in=red,blue",
  "/library/docs.json?_sort=first_tag&_size=1",
  "/library/docs.json?_sort=first_tag&_next=red,1",
  "/library/docs/-/columns.json?tags__arraycontains=red",
  "/library/docs/-/columns.json?first_tag=red",
  "/library/docs/-/columns.json",
  "/library/tagged/-/columns.json",
  `/library/granted.json?_where=${guess}`,
  `/library/granted.json?_where=${guess}&_sort=salary`,
  `/library/granted.csv?_stream=on&_where=${guess}`,
  `/library/through_granted.json?_where=${guess}`,
  "/library/granted.json?tags__arraycontains=red",
  "/library/granted",
  "/library/tagged.json?tag=red",
  "/library/tagged.json?tag__like=r%25&_sort=tag",
  "/library/tagged/-/columns.json?tag=red",
  "/library/computed.json?first_tag=red",
  ...[
    `select * from granted where ${GUESS}`,
    `select * from main.granted where ${GUESS}`,
    `select g.id from "Main" . [granted] as g where ${GUESS}`,
    `select main.granted.id from main.granted where ${GUESS}`,
    `select * from 'granted' where ${GUESS}`,
    `select * from through_granted where ${GUESS}`,
    `select count(*) from granted where ${GUESS}`,
    `with g as (select * from granted) select * from g where ${GUESS}`,
    `with granted as (select 4242 as salary) select * from (select * from through_granted) where ${GUESS}`,
    `select 1 where exists (select 1 from granted where ${GUESS})`,
    `select * from notes join granted on closed_id = granted.id and ${GUESS}`,
    `select * from notes left join granted on closed_id = granted.id where ${GUESS}`,
    `select (select sum(salary) from granted where ${GUESS}) from notes`,
    `select 1 from notes where 10 in (select salary from granted where ${GUESS})`,
    `select * from granted where ${GUESS} union all select * from main.granted where ${GUESS}`,
    `select sum(salary) over () from granted where ${GUESS}`,
    `select distinct salary from granted where ${GUESS} order by salary limit 1`,
    `select id from tagged where tag = 'red'`,
    "select value from granted, json_each(tags) where value = 'red'",
  ].map(sql),
  `/library/notes.json?_where=${encodeURIComponent(`closed_id in (select id from granted where ${GUESS})`)}`,
  `/library/notes.json?_where=${encodeURIComponent(`closed_id in (select id from main.granted where ${GUESS})`)}`,
];

/** Without what differs from one reply to the next. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/("query_ms": |Queries took |name="csrftoken" value=")[\w.+-]+/g, "$1");

describe("rows that a rule or a view leaves out", () => {
  for (const [kind, indexes] of Object.entries(INDEXES)) {
    describe(`with ${kind === "none" ? "no index" : `an index on ${kind}`}`, () => {
      let there: TestRowhouse;
      let elsewhere: TestRowhouse;
      before(async () => {
        there = await serve(script({ salary: 4242, tags: "not json" }, indexes));
        elsewhere = await serve(script({ salary: 1, tags: '["red"]' }, indexes));
      });

      for (const path of attacks) {
        it(`take no part in ${decodeURIComponent(path)}`, async () => {
          const [found, other] = await Promise.all(
            [there, elsewhere].map(async (rowhouse) => {
              const { status, text } = await rowhouse.get(path, { as: "ann" });
              return [status, withoutTimes(text).replaceAll(rowhouse.origin, "")] as const;
            }),
          );

          expect(found).to.deep.equal(other);
          expect(found?.[0]).to.equal(200);
        });
      }

      it("are not looked at by a raw search when there is no other row", async () => {
        const { status } = await there.get('/library/docs.json?_search="&_searchmode=raw', { as: "eve" });

        expect(status).to.equal(200);
      });

      it("are not looked at by the filters of a write", async () => {
        const reply = await there.post("/library/docs/-/delete", {
          as: "eve",
          json: { filters: { title__like: decodeURIComponent(pattern) }, dry_run: true },
        });

        expect([reply.status, reply.json.row_count]).to.deep.equal([200, 0]);
      });
    });
  }

  it("are still found by those who may read them", async () => {
    const rowhouse = await serve(script({ salary: 4242, tags: "[]" }));

    expect((await rowhouse.get(`/library/docs.json?_where=${guess}`, { as: "bob" })).status).to.equal(400);
    expect((await rowhouse.get("/library/docs.json", { as: "bob" })).json.rows).to.have.length(1);
  });

  it("take no part where a plugin vouches for a view over its table", async () => {
    const vouching = definePlugin({
      name: "vouching",
      read_scope: (_rowhouse, { tables }) =>
        tables.flatMap(({ name }) =>
          name === "granted" || name === "through_granted" ? [{ table: name, complete: true }] : [],
        ),
    });
    const closing = definePlugin({
      name: "closing",
      read_scope: () => ({ table: "closed", where: "public = 1" }),
    });
    const rowhouse = await rowhouseFor({
      sql: script({ salary: 4242, tags: "not json" }),
      plugins: [vouching, closing],
    });

    for (const path of [
      `/library/granted.json?_where=${guess}`,
      "/library/granted.json?tags__arraycontains=red",
      sql(`select * from granted where ${GUESS}`),
      sql(`select * from through_granted where ${GUESS}`),
    ]) {
      expect((await rowhouse.get(path)).status, path).to.equal(200);
    }
  });
});

describe("confined SQL", () => {
  it("answers alike for a column of a closed table and for one that does not exist", async () => {
    const rowhouse = await serve(script({ salary: 1, tags: "[]" }));
    const answers = async (statement: string) =>
      Promise.all(
        ["secret_col", "no_such_co"].map(async (column) => {
          const text = statement.replaceAll("?", column);
          const reply = await rowhouse.get(sql(text), { as: "ann" });
          return [reply.status, withoutTimes(reply.text).replaceAll(column, "?")];
        }),
      );

    for (const statement of [
      "select ? from closed",
      'select ?, [: near "x": syntax error] from closed',
      "select ?, [: incomplete input] from closed",
      "select ?, [: unrecognized token: x] from closed",
      'select ?, [SQLITE_ERROR: near "x": syntax error] from closed',
      'select ? from closed where [x: near "x": syntax error]()',
      "select 1 from notes join closed using (?)",
      "select 1 from notes where exists (select ? from closed)",
      "select closed.? from granted",
    ]) {
      const [real, missing] = await answers(statement);

      expect(real, statement).to.deep.equal(missing);
      expect(real?.[0], statement).to.equal(403);
    }
  });

  it("still says where a mistake of grammar is", async () => {
    const rowhouse = await serve(script({ salary: 1, tags: "[]" }));
    const { status, text } = await rowhouse.get(sql("select from closed where"), { as: "ann" });

    expect(status).to.equal(400);
    expect(text).to.include("near");
  });

  it("refuses a qualified view beside an expression of its name", async () => {
    const rowhouse = await serve(script({ salary: 1, tags: "[]" }));
    const both = "with granted as (select * from main.granted) select * from granted";
    const alone = "with granted as (select 7 as n) select * from granted";

    expect((await rowhouse.get(sql(both), { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get(sql(alone), { as: "ann" })).json.rows).to.deep.equal([[7]]);
  });
});

describe("the barrier before hidden rows", () => {
  let rowhouse: TestRowhouse;
  const statements: SqlTrace[] = [];
  const collect = (trace: SqlTrace): void => void statements.push(trace);
  before(async () => {
    const index = "create index docs_owner on docs(owner); create index docs_salary on docs(salary);";
    rowhouse = await serve(script({ salary: 4242, tags: "[]" }, index));
    sqlTraces.subscribe(collect);
  });
  after(() => sqlTraces.unsubscribe(collect));

  /** How SQLite runs the statements of a page. */
  async function plans(query: string): Promise<string> {
    statements.length = 0;
    const { status } = await rowhouse.get(`/library/docs${query}`, { as: "ann" });
    expect(status).to.equal(200);
    const steps = await Promise.all(
      statements
        .filter(({ sql: text }) => text.includes("owner"))
        .map(({ sql: text }) =>
          rowhouse.query(`explain query plan ${text.replaceAll(/escape_fts\((:\w+)\)/g, "$1")}`),
        ),
    );
    return steps
      .flat()
      .map(({ detail }) => String(detail))
      .join("\n");
  }

  it("leaves indexes to pages without conditions of a caller", async () => {
    for (const query of [
      "/1.json",
      ".json?_nocount=1&_nofacet=1&id=1",
      ".json?_nocount=1&_nofacet=1&salary=10",
      ".json?_nofacet=1&salary__in=10,30",
      ".json?_nofacet=1&_search=mine",
      ".json?_nofacet=1&_size=1&_next=1",
    ]) {
      const plan = await plans(query);

      expect(plan, query).to.include("SEARCH docs USING");
      expect(plan, query).not.to.match(/SCAN docs\b(?!_)|CO-ROUTINE docs|TEMP B-TREE/);
    }
  });

  it("leaves indexes to a view that computes nothing", async () => {
    statements.length = 0;
    await rowhouse.get("/library/granted.json?_nofacet=1&_nocount=1&salary=10", { as: "ann" });
    await rowhouse.get("/library/tagged.json?_nofacet=1&_nocount=1&id=1", { as: "ann" });
    const [plain, computing] = await Promise.all(
      ["granted", "tagged"].map(async (view) => {
        const [page] = statements.filter(
          ({ sql: text }) => text.startsWith("select") && text.includes(` ${view}`),
        );
        const steps = await rowhouse.query(`explain query plan ${page?.sql ?? ""}`);
        return steps.map(({ detail }) => String(detail)).join();
      }),
    );

    expect(plain).to.include("SEARCH closed USING INDEX closed_salary");
    expect(computing).to.match(/CO-ROUTINE/);
  });

  it("leaves indexes to the conditions that cannot fail beside those of a caller", async () => {
    const plan = await plans(".json?_nofacet=1&salary=10&_where=length(title)+%3E+1");

    expect(plan).to.include("SEARCH docs USING INDEX docs_salary");
    expect(plan).to.include("CO-ROUTINE docs");
    expect(plan).not.to.include("TEMP B-TREE");
  });
});
