import { request } from "node:http";
import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";
import { LIMIT_MS, LoopProbe } from "./loop-probe.js";

const list = (count: number, make: (index: number) => string, between = ""): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);

const NUMBERS = "with recursive n(value) as (select 1 union all select value + 1 from n where value < 1000)";
const FACETS = `_size=1&_nosuggest=1&_facet_size=max&${list(100, (index) => `_facet=c${index}&`)}c0__not=`;

const DATABASES: Readonly<Record<string, string>> = {
  "facets.db": `create table t (id integer primary key, ${list(100, (index) => `c${index}`, ", ")});
    ${NUMBERS} insert into t select value, ${list(100, () => "'value ' || (value % 900)", ", ")} from n;`,
  "wide.db": `create table t (id integer primary key, ${list(1_900, (index) => `c${index}`, ", ")});`,
  "cyrillic.db": `create table t (id integer primary key, body);
    ${NUMBERS} insert into t select value, replace(hex(zeroblob(1000)), '00', 'слово ') from n limit 200;`,
  "blobs.db": "create table t (id integer primary key, b); insert into t values (1, randomblob(20000000));",
  "texts.db": `create table t (id integer primary key, body);
    ${NUMBERS} insert into t select value, hex(zeroblob(100000)) || value from n limit 200;`,
  "long.db": `create table t (id integer primary key, body);
    ${NUMBERS} insert into t select value, replace(hex(zeroblob(2500000)), '00', 'é ') from n limit 6;`,
  "documents.db": `create table t (id integer primary key, body text);
    ${NUMBERS} insert into t select 1, json_group_array(json_object('id', a.value, 'name', 'n' || b.value))
    from n as a, n as b where b.value <= 60;`,
  "markup.db": `create table t (id integer primary key, body text);
    insert into t values (1, replace(hex(zeroblob(950000)), '0', '<'));`,
  // One transaction: one for each table takes seconds.
  "many.db": `begin; ${list(5_000, (index) => `create table t${index} (id integer primary key, name, other);`)} commit;`,
};

const REQUESTS: readonly (readonly [title: string, path: string])[] = [
  ["100 facets of 900 values", `/facets/t?${FACETS}x`],
  ["100 facets of 900 values under a long address", `/facets/t?${FACETS}${"x".repeat(57_000)}`],
  ["too many conditions on 1,900 columns", `/wide/t.json?_nosuggest=1&${"a=1&".repeat(3_800)}`],
  ["1,000 conditions on 1,900 columns", `/wide/t.json?_nosuggest=1&${"c1=1&".repeat(999)}`],
  [
    "2,000 groups that rows are in",
    `/facets/t.json?_nosuggest=1&${list(2_000, (at) => `_in_group=interval(c1,9):${at}&`)}`,
  ],
  ["12,000 values of one filter", `/facets/t.json?_nosuggest=1&id__in=${list(12_000, String, ",")}`],
  [
    "5,000 numbers of one filter",
    `/facets/t.json?_nosuggest=1&id__in=[${list(5_000, (at) => `${at}.5`, ",")}]`,
  ],
  [
    "12,000 numbers of one filter, which are too many",
    `/facets/t.json?_nosuggest=1&id__in=[${list(12_000, () => "1.5", ",")}]`,
  ],
  [
    "SQL with 28,000 values",
    `/facets.json?sql=select+1+where+(select+1)+in(${list(28_000, (at) => String(at % 10), ",")})`,
  ],
  [
    "EXPLAIN of 28,000 values",
    `/facets.json?sql=explain+select+1+where+(select+1)+in(${list(28_000, (at) => String(at % 10), ",")})`,
  ],
  ["800 filters with their menus", `/facets/t?_nosuggest=1&${list(800, (at) => `c${at % 100}__not=x&`)}`],
  ["a list of 5,000 tables", "/many"],
  ["a list of 5,000 tables as JSON", "/many.json"],
  ["the description of the API of 5,000 tables", "/-/openapi.json"],
  ["the page of the API of 5,000 tables", "/-/openapi"],
  ["where an action is allowed among 5,000 tables", "/-/allowed.json?action=view-table&page_size=200"],
  ["the page of what is allowed among 5,000 tables", "/-/allowed?action=insert-row&page_size=200"],
  ["5,000 rules", "/-/rules.json?action=delete-row&page_size=200"],
  ["the page of 5,000 rules", "/-/rules?action=delete-row&page_size=200"],
  ["2 MB of Cyrillic text", "/cyrillic/t.json?_size=max&_nosuggest=1"],
  ["2 MB of Cyrillic text by SQL of the caller", "/cyrillic.json?sql=select+*+from+t"],
  ["a jump by 20,000 words among 5,000 tables", `/-/jump.json?q=${"t+a+".repeat(10_000)}`],
  ["the error page of 5,000 filters", `/facets/t?${list(5_000, (at) => `x${at}=1`, "&")}`],
  ["an argument of 20,000 bytes that are not UTF-8", `/facets/t?${"%ff".repeat(20_000)}=1`],
  ["statistics of 100 columns with a long filter", `/facets/t/-/columns?c1__not=${"x".repeat(50_000)}`],
  ["an interval of spaces", `/facets/t?_group=interval(c1,${"+".repeat(57_000)}(`],
  ["an aggregate of spaces", `/facets/t?_group=c1&_agg=count(distinct${"+".repeat(57_000)}(`],
  ["a quantity of spaces", `/facets/t?_nosuggest=1&c2=1${"+".repeat(57_000)}%0A`],
  ["a unit of spaces", `/facets/t?_nosuggest=1&c2=1m${"+".repeat(57_000)}^`],
  ["the page of six rows of 7 MB by SQL of the caller", "/long?sql=select+*+from+t"],
  ["six rows of 7 MB as members of an object", "/long/t.json?_shape=object&_nosuggest=1"],
  ["a document of 2 MB in a cell", "/documents/t.json?_json=body&_nosuggest=1"],
  ["groups of 40 MB of texts", "/texts/t?_group=body&_size=max"],
  ["1,000 groups under a long address", `/facets/t?_group=id&_size=max&c1__not=${"x".repeat(57_000)}`],
  ["static paths", `/-/static/${"-/static/".repeat(6_000)}%0A`],
  ["paths of plugins", `/-/static-plugins/a/${"-/static-plugins/a/".repeat(3_000)}%0A`],
  ["a BLOB of 20 MB", "/blobs/t/1.blob?_blob_column=b"],
  ["a BLOB of 20 MB as JSON", "/blobs/t.json"],
  ["the page of a row with a BLOB of 20 MB", "/blobs/t/1"],
  ["the page of a row with 1.9 million angle brackets", "/markup/t/1"],
  ["CSV with a million quotes", `/facets.csv?sql=select+replace(hex(zeroblob(500000)),'0',char(34))`],
];

const MOST_BYTES = 2_097_152;
const filled = (open: string, item: string, close: string): string =>
  open + item.repeat(Math.floor((MOST_BYTES - 100) / item.length)) + close;

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=x";

const part = (text: string): string => `--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n${text}\r\n`;
const manyParts = (count: number): string => `${part("1").repeat(count)}--x--\r\n`;

/** Bodies of the largest size; JSON unless another type is given. */
const BODIES: readonly (readonly [title: string, path: string, body: string, type?: string])[] = [
  ["a list of a million numbers", "/facets/t/-/insert", filled("[", "1,", "1]")],
  ["a hundred thousand decimals", "/facets/t/-/insert", filled('{"rows":[', "0.1234567890123456789,", "1]}")],
  ["a hundred thousand rows", "/facets/t/-/insert", filled('{"rows":[', '{"c1":1},', "{}]}")],
  ["a hundred rows of many texts", "/facets/t/-/insert", rowsOfTexts(100)],
  [
    "a row of many unknown columns",
    "/facets/t/-/insert",
    `{"row":{${list(120_000, (at) => `"x${at}":1`, ",")}}}`,
  ],
  [
    "an update of many unknown columns",
    "/facets/t/1/-/update",
    `{"update":{${list(120_000, (at) => `"x${at}":1`, ",")}}}`,
  ],
  [
    "a new table of many columns",
    "/facets/-/create",
    `{"table":"n","columns":[${list(60_000, (at) => `{"name":"x${at}","type":"text"}`, ",")}]}`,
  ],
  [
    "a row of many columns, two of which become the same",
    "/facets/-/create",
    `{"table":"n","row":{${list(120_000, (at) => `"x${at}":1,`)}"a[":1,"a]":1}}`,
  ],
  [
    "a batch of many operations",
    "/facets/-/batch",
    filled('{"operations":[', '{"op":"insert","table":"t","row":{}},', "{}]}"),
  ],
  [
    "columns of many rows",
    "/facets/-/create",
    `{"table":"n","rows":[${list(100, (row) => `{${list(1_200, (at) => `"x${row}_${at}":1`, ",")}}`, ",")}]}`,
  ],
  [
    "a column of many choices",
    "/facets/t/-/alter",
    `{"operations":[{"op":"alter_column","args":{"name":"c1","choices":[${list(100_000, (at) => `"x${at}"`, ",")}]}}]}`,
  ],
  [
    "many checks",
    "/facets/t/-/alter",
    `{"operations":[${list(500, (at) => `{"op":"add_check","args":{"name":"k${at}","expression":"c1 <> ${at}"}}`, ",")}]}`,
  ],
  [
    "many changes of columns",
    "/facets/t/-/alter",
    `{"operations":[${list(500, (at) => `{"op":"add_column","args":{"name":"n${at}","type":"text"}}`, ",")}]}`,
  ],
  [
    "an index of many columns",
    "/facets/t/-/create-index",
    `{"columns":[${list(200_000, () => `"c1"`, ",")}]}`,
  ],
  [
    "an update of many listed rows",
    "/facets/t/-/update",
    `{"update":{"c1":1},"filters":{"id":[${list(10_000, (at) => String(at + 5_000_000), ",")}]}}`,
  ],
  [
    "an update of too many listed rows",
    "/facets/t/-/update",
    `{"update":{"c1":1},"filters":{"id":[${list(250_000, (at) => String(at + 5_000_000), ",")}]}}`,
  ],
  [
    "an update by many filters",
    "/facets/t/-/update",
    `{"update":{"c1":1},"filters":{${list(120_000, (at) => `"x${at}":1`, ",")}}}`,
  ],
  [
    "SQL that writes of 2 MB",
    "/facets/-/execute-write",
    filled('{"sql":"update t set c1 = 1 where c1 in (', "instr(c1,'a'),", '1)"}'),
  ],
  ["200 rows of 40 MB", "/texts/t/-/rows", `{"keys":[${list(200, (at) => String(at + 1), ",")}]}`],
  ["a decimal of a million zeros", "/facets/t/-/insert", `{"row":{"c1":1.${"0".repeat(2_000_000)}1e5}}`],
  ["a text of a million escapes", "/facets/t/-/insert", filled('{"row":{"c1":"', "\\n", '"}}')],
  ["a long list in a cell", "/facets/t/-/insert", filled('{"row":{"c1":[', "1,", "1]}}")],
  [
    "a long object in a cell",
    "/facets/t/-/insert",
    `{"row":{"c1":{${list(120_000, (at) => `"x${at}":1`, ",")}}}}`,
  ],
  ["a long list in a line", "/facets/t/-/insert", filled('{"c1":[', "1,", "1]}"), "application/x-ndjson"],
  ["a million invalid lines", "/facets/t/-/insert", "x\n".repeat(1_000_000), "application/x-ndjson"],
  ["two million empty lines", "/facets/t/-/insert", "\n".repeat(2_000_000), "application/x-ndjson"],
  ["200,000 lines of CSV", "/facets/t/-/insert", `c1\n${"1\n".repeat(200_000)}`, "text/csv"],
  [
    "a line of 800,000 fields with a quote",
    "/facets/t/-/insert",
    `c1\n${"1,".repeat(800_000)}"1"\n`,
    "text/csv",
  ],
  ["lists in a list in a cell", "/facets/t/1/-/update", filled('{"update":{"c1":[', "[1],", "1]}}")],
  ["a list for a query that writes", "/facets/add", filled('{"v":[', "1,", "1]}")],
  ["decimals for a query that writes", "/facets/add", filled('{"v":[', "0.1234567890123456789,", "1]}")],
  ["members for a query that writes", "/facets/add", `{${list(120_000, (at) => `"x${at}":1`, ",")}}`],
  ["escapes for a query that writes", "/facets/add", filled('{"v":"', "\\n", '"}')],
  ["fields for a query that writes", "/facets/add", list(19_000, (at) => `x${at}=1`, "&"), FORM],
  ["a form of a million plus signs", "/-/language", "a" + "=+".repeat(1_000_000), FORM],
  ["a form of half a million fields", "/-/language", "a=1&".repeat(500_000), FORM],
  ["a form of escapes", "/-/language", `a=${"%41".repeat(690_000)}`, FORM],
  ["a form of invalid escapes", "/-/language", `a=${"%+".repeat(1_000_000)}`, FORM],
  ["a form of many parts", "/-/language", manyParts(6_400), MULTIPART],
  ["a form of too many parts", "/-/language", manyParts(30_000), MULTIPART],
  ["parts without headers", "/-/language", `${"--x\r\n".repeat(6_400)}${"y".repeat(2_000_000)}`, MULTIPART],
  [
    "parts whose headers end far behind them",
    "/-/language",
    `${"--x\r\n".repeat(6_400)}${"y".repeat(2_000_000)}\r\n\r\n--x--\r\n`,
    MULTIPART,
  ],
  ["a part of many lines", "/-/language", part("\r\n--".repeat(500_000)) + "--x--\r\n", MULTIPART],
  ["a deep list", "/facets/t/-/insert", filled("", "[", "")],
];

function rowsOfTexts(rows: number): string {
  const row = `{${list(100, (at) => `"c${at}":"${"y".repeat(150)}"`, ",")}}`;
  return `{"rows":[${list(rows, () => row, ",")}]}`;
}

/** @param body sent with POST @returns the status */
const send = (url: string, body?: string, type = JSON_TYPE): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = {
      agent: false,
      maxHeaderSize: 1_000_000,
      headers: { "content-type": type },
    };
    request(url, { ...options, method: body === undefined ? "GET" : "POST" }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    })
      .once("error", reject)
      .end(body);
  });

describe("The event loop", function () {
  this.timeout(240_000);
  const place = workplace();
  let server: Serving;
  const probe = new LoopProbe(place, () => server);

  before(async function () {
    if (process.platform !== "linux") return this.skip();
    for (const [name, script] of Object.entries(DATABASES)) await place.database(name, script);
    const permissions = {
      "insert-row": true,
      "update-row": true,
      "create-table": true,
      "alter-table": true,
      "create-index": true,
      "execute-write-sql": true,
      "permissions-debug": true,
    };
    const queries = { add: { sql: "update t set c1 = :v where id = -1", write: true } };
    const tables = { t: { units: { c2: "m" } } };
    const rule = { permissions: { "delete-row": { id: "ann" } } };
    const ruled = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`t${index}`, rule]));
    const databases = { facets: { queries, tables }, many: { tables: ruled } };
    const metadata = JSON.stringify({ permissions, databases });
    place.write({ "metadata.json": metadata });
    server = await place.serve(
      [
        ...Object.keys(DATABASES),
        "--no-config",
        "--metadata",
        "metadata.json",
        "--setting",
        "facet_time_limit_ms",
        "60000",
        // A further try makes the page again.
        "--setting",
        "reply_cache_kb",
        "0",
      ],
      probe.environment,
    );
    // What is read and compiled once is not part of the request.
    for (const path of ["/facets/t?_facet=c1", "/many", "/-/openapi", "/wide/t.json"]) {
      await send(server.url + path);
    }
  });

  for (const [title, path, body, type] of [...REQUESTS, ...BODIES]) {
    it(`is not blocked by ${title}`, async () => {
      const longest = await probe.leastBlockedMs(title, async () => {
        expect(await send(server.url + path, body, type)).to.be.oneOf([200, 201, 302, 303, 400, 404]);
      });

      expect(longest).to.be.below(LIMIT_MS);
    });
  }

  it("is not blocked by a form of 2,600 filters, which has too long an address to be redirected to", async () => {
    const path = `/facets/t?${list(2_600, (at) => `_filter_column_${at}=a&`)}`;

    const longest = await probe.leastBlockedMs("a form of filters", async () => {
      expect(await send(server.url + path)).to.equal(414);
    });

    expect(longest).to.be.below(LIMIT_MS);
  });
});
