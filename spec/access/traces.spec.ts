import { expect } from "chai";
import { definePlugin, type Actor } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";
import { crawl, type Visited } from "./crawler.js";

/*
 * Everything that some may not see has `hushed` in its name, every value of it too, and every count of it is a number
 * that is nowhere else. One actor sees all. Replies to other actors must not contain it.
 */
const TRACE = /hushed|\b7919\b|\b4391\b/i;
const ALL: Actor = { id: "root", staff: true };
const OTHERS: readonly (readonly [who: string, actor: Actor | null])[] = [
  ["an anonymous visitor", null],
  ["a signed-in actor", { id: "guest" }],
  ["an actor who may write open tables", { id: "editor" }],
  [
    "the bearer of a token restricted to what is open",
    {
      ...ALL,
      token: "x",
      _r: { a: ["vi"], d: { library: ["vd", "es"] }, r: { library: { towns: ["vt"], kinds: ["vt"] } } },
    },
  ],
];

const SCRIPT = `
  create table towns (id integer primary key, name text, ruler_id integer references hushedpeople(id),
    kind_id integer references kinds(id), hushedsalary integer, tags text);
  create table visits (id integer primary key, person_id integer references hushedpeople(id), note text);
  insert into visits values (1, 1, 'a visit');
  create trigger visited after insert on visits begin insert into hushednotes (body) values (new.note); end;
  create table kinds (id integer primary key, name text);
  create table hushedpeople (id integer primary key, name text, town_id integer references towns(id));
  create table hushedlinks (town_id integer references towns(id), person_id integer references hushedpeople(id));
  create table hushednotes (id integer primary key, body text);
  insert into kinds values (1, 'port'), (2, 'market');
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
    insert into towns select i, 'Town ' || i, i, 1 + i % 2, 4391, '["a","b"]' from n;
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 7919)
    insert into hushedpeople select i, 'Hushedname ' || i, 1 + i % 60 from n;
  insert into hushedlinks select id, id from towns;
  insert into hushednotes values (1, 'hushedwhisper');
  create view open_view as select id, name from towns;
  create view hushedview as select name from hushedpeople;
  create view half_open as select towns.name, hushedpeople.name as ruler from towns join hushedpeople on hushedpeople.id = ruler_id;
  create view granted as select count(name) as people from hushedpeople where id < 3;
  create virtual table towns_fts using fts5(name, content='towns', content_rowid='id');
  insert into towns_fts(towns_fts) values ('rebuild');
  create virtual table hushednotes_fts using fts5(body, content='hushednotes', content_rowid='id');
  insert into hushednotes_fts(hushednotes_fts) values ('rebuild');
  create virtual table hushedwords using fts5vocab('hushednotes_fts', 'row');
  create index hushedindex on hushedpeople (name);
  create table numbered (id integer primary key autoincrement, name text);
  insert into numbered (name) values ('one');
  analyze;`;

const WRITES = "insert-row update-row delete-row create-table alter-table drop-table".split(" ");
const closed = { allow: { staff: true } };
const metadata = {
  title: "Towns",
  databases: {
    library: {
      permissions: Object.fromEntries(WRITES.map((action) => [action, { id: ["editor", "root"] }])),
      tables: {
        hushedpeople: { ...closed, title: "Hushedpeople title", units: { id: "hushedunit" } },
        hushedlinks: closed,
        hushednotes: closed,
        hushedview: closed,
        granted: { allow: true },
      },
      queries: {
        open_query: "select count(*) from towns",
        hushedquery: { sql: "select 'hushedsql'", title: "Hushedtitle", ...closed },
      },
    },
    hushedvault: {
      ...closed,
      title: "Hushedvault title",
      tables: { hushedgold: { title: "hushed" } },
      queries: { hushedsaved: "select 1" },
    },
  },
  plugins: { somewhere: { password: "hushedpassword" } },
};

/** Hides a column from all actors except the staff. */
const narrowing = definePlugin({
  name: "narrowing",
  read_scope: (_rowhouse, { actor }) =>
    actor?.["staff"] !== true || actor["_r"] !== undefined
      ? { table: "towns", hiddenColumns: ["hushedsalary", "ruler_id"] }
      : null,
});

const STARTS = [
  "/",
  "/.json",
  "/library",
  "/library.json",
  "/library/towns",
  "/library/towns.json",
  "/library/towns/1",
];
const DOCUMENTS =
  "actor actor.json actions allow-debug allowed allowed.json api check check.json create-token databases databases.json jump jump.json logout " +
  "messages metadata metadata.json openapi.json patterns permissions plugins plugins.json rules rules.json settings settings.json " +
  "threads threads.json tokens tokens.json versions versions.json";

/** Pages that no link leads to for those who may not see them. */
const PROBES = [
  ...DOCUMENTS.split(" ").map((name) => `/-/${name}`),
  ...["view-database", "view-table", "view-query", "insert-row", "execute-sql"].flatMap((action) => [
    `/-/allowed.json?action=${action}`,
    `/-/rules.json?action=${action}`,
  ]),
  "/-/jump.json?q=hushed",
  "/-/jump.json?q=people",
  "/library/visits",
  "/library/visits.json?_labels=on&_facet=person_id",
  "/library/visits/1",
  "/library/visits/1.json",
  "/library/visits?_context=1",
  "/library/granted",
  ...["towns", "visits", "hushedpeople"].flatMap((table) =>
    ["new-row", "import", "remove", "structure", "columns", "columns.json"].map(
      (page) => `/library/${table}/-/${page}`,
    ),
  ),
  ...["towns/1", "visits/1", "hushedpeople/1"].flatMap((row) => [
    `/library/${row}/-/edit`,
    `/library/${row}/-/remove`,
  ]),
  "/library/-/new-table",
  "/library/-/write-sql",
  "/-/audit.json",
  "/-/openapi.json",
  "/library/towns.json?_labels=on",
  "/library/towns.json?_label=ruler_id",
  "/library/towns.json?_facet=ruler_id",
  "/library/towns.json?_facet=hushedsalary",
  "/library/towns.json?_facet=kind_id&_facet_array=tags",
  "/library/towns.json?_sort=hushedsalary",
  "/library/towns.json?_sort_desc=hushedsalary&_size=2",
  "/library/towns.json?hushedsalary__gt=1",
  "/library/towns.json?_search=town",
  "/library/towns.json?_search=hushedwhisper&_fts_table=hushednotes_fts&_fts_pk=id",
  "/library/towns.json?_searchmode=raw&_search=hushed*&_fts_table=hushednotes_fts&_fts_pk=id",
  `/library/towns.json?_through=${encodeURIComponent('{"table":"hushedpeople","column":"name","value":"Hushedname 1"}')}`,
  `/library/towns.json?_through=${encodeURIComponent('{"table":"hushedlinks","column":"person_id","value":1}')}`,
  "/library/towns.json?_where=hushedsalary>0",
  "/library/towns.json?_where=exists(select+1+from+hushedpeople)",
  "/library/towns/1.json?_extras=foreign_key_tables",
  "/library/towns.csv?_labels=on",
  "/library/towns.csv?_stream=on&_labels=on",
  "/library/towns?_context=1&_trace=1",
  "/library?_context=1",
  "/?_context=1",
  "/library/towns.json?_trace=1&_labels=on&_facet=kind_id",
  "/library?_show_hidden=1",
  "/library/sqlite_sequence.json",
  "/library/sqlite_stat1.json",
  "/library/hushednotes_fts_data.json",
  "/library/hushedwords.json",
  "/library.json?sql=select+*+from+hushedpeople",
  "/library.json?sql=select+*+from+sqlite_master",
  "/library?sql=select+1",
  "/library/hushedpeople",
  "/library/hushedpeople.json",
  "/library/hushedpeople.csv",
  "/library/hushedpeople/1.json",
  "/library/hushedpeople/99999.json",
  "/library/hushedview.json",
  "/library/half_open.json",
  "/library/hushedquery",
  "/library/hushedquery.json",
  "/hushedvault",
  "/hushedvault.json",
  "/hushedvault/hushedgold.json",
  "/hushedvault/hushedgold/1.json",
  "/hushedvault/nothing.json",
  "/hushedvault/hushedsaved.json",
  "/hushedvault.db",
  "/library.db",
  "/_internal.json",
  "/_internal/tables.json",
];

describe("what an actor may not view", function () {
  this.timeout(300_000);
  let rowhouse: TestRowhouse;
  let everything: readonly Visited[];
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: SCRIPT,
      databases: {
        hushedvault:
          "create table hushedgold (id integer primary key, name text); insert into hushedgold values (1, 'hushedbar')",
      },
      immutable: ["hushedvault"],
      metadata,
      plugins: [narrowing],
      settings: { confine_sql: true, conceal_missing: true, trace_debug: true, template_debug: true },
    });
    everything = await crawl(rowhouse, [...STARTS, ...PROBES], ALL);
  });

  it("is there for those who may", () => {
    const told = everything.filter(({ reply }) => TRACE.test(reply.text));

    expect(told.length).to.be.greaterThan(100);
    expect(everything.length).to.be.greaterThan(200);
  });

  for (const [who, actor] of OTHERS) {
    it(`leaves no trace in what ${who} gets to see`, async () => {
      const telling = everything.filter(({ reply }) => TRACE.test(reply.text)).map(({ path }) => path);
      const seen = await crawl(rowhouse, [...STARTS, ...PROBES, ...telling], actor);

      expect(seen.length).to.be.greaterThan(200);
      expect(seen.flatMap(tracesIn)).to.deep.equal([]);
    });
  }
});

/** What a reply contains beside the request. */
function tracesIn({ path, reply }: Visited): readonly string[] {
  const asked = decodeURIComponent(path.replaceAll("+", " "));
  // The length of a page may be the number of a hidden row by chance.
  const { "content-length": _length, ...headers } = reply.headers;
  return [bodyOf(reply), JSON.stringify(headers)].flatMap((text) => {
    const found = [...text.matchAll(new RegExp(TRACE, "gi"))].filter(
      ({ index }) => !isEcho(text, index, asked),
    );
    const [first] = found;
    return first === undefined
      ? []
      : [`${path} (${reply.status}): …${text.slice(Math.max(0, first.index - 60), first.index + 40)}…`];
  });
}

const bodyOf = ({ text, headers }: TestReply): string =>
  headers["content-type"]?.includes("javascript") ? "" : text;

/** A word of the request itself reveals nothing. */
function isEcho(text: string, index: number, asked: string): boolean {
  const around = /^[\w.]*/.exec(text.slice(index))?.[0] ?? "";
  return asked.toLowerCase().includes(around.toLowerCase());
}
