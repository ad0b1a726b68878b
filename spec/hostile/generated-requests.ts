/** A request as it is written to the socket. */
export interface HostileRequest {
  readonly kind: string;
  readonly method: string;
  readonly target: string;
  /** Lines without the line break; they may be no valid headers. */
  readonly headers: readonly string[];
  readonly body: string;
  /** The client leaves after so many milliseconds. */
  readonly leaveAfterMs: number | null;
}

type Random = () => number;
type Part = Partial<Omit<HostileRequest, "kind">> & { readonly target: string };

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const upTo = (random: Random, most: number): number => 1 + Math.floor(random() * most);
const repeated = (text: string, times: number, between = ""): string =>
  Array.from({ length: times }, () => text).join(between);
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const NAMES = [
  "books",
  "nope",
  "a]b",
  'a"b',
  "a'b",
  "a`b",
  "a;drop table books",
  "a--",
  "a/*",
  "\n",
  "🦀",
  "sqlite_schema",
  "__proto__",
  "constructor",
  "",
  "x".repeat(1_000),
  'x" union select name from sqlite_schema--',
  "\u202e",
  "%00",
];
const ARGUMENTS = [
  "_sort",
  "_sort_desc",
  "_col",
  "_nocol",
  "_facet",
  "_facet_array",
  "_facet_date",
  "_label",
];
const FORMATS = ["", ".json", ".csv", ".blob", ".jsono", ".xyz"];
const PATHS = ["/", "/library", "/library/books", "/library/books/1", "/wide/t", "/-/settings", "/nope/nope"];
const CTE = "with recursive n(x) as (select 1 union all select x + 1 from n)";
/** They run until the time limit or the limit of memory ends them. Add statements here. */
const BOMBS = [
  `${CTE} select count(*) from n`,
  "select count(*) from books a, books b, books c, books d, books e, books f, books g",
  `${CTE} select randomblob(1000) as r from n order by r`,
];
/** They are refused, or end by themselves. */
const STATEMENTS = [
  "select zeroblob(1000000000)",
  "select printf('%.*c', 1000000000, 'x')",
  `${CTE} select group_concat(x, zeroblob(1000000)) from (select x from n limit 1000)`,
  "attach 'x.db' as x",
  "vacuum into '/tmp/x'",
  "pragma writable_schema=1",
  "select 1; drop table books",
  "with x as (select 1) delete from books",
  "select load_extension('x')",
  "select * from sqlite_dbpage",
  "select * from pragma_database_list",
  "\ufeffselect 1",
  "ｓｅｌｅｃｔ 1",
  "explain select 1",
  "values (1), (2)",
  "select :__proto__, :p0, :_header_x",
  repeated("(", 2_000) + "select 1" + repeated(")", 2_000),
  repeated("select 1", 501, " union all "),
  `select ${repeated("1", 2_001, ",")}`,
  `select json_extract('${repeated("[", 2_000)}${repeated("]", 2_000)}', '$')`,
  `select 'a' like '${repeated("%a", 2_000)}b'`,
  "select",
  "",
];
const DEEP = 20_000;
const BODIES = [
  "{",
  "[]",
  "null",
  '{"rows": 5}',
  `${repeated('{"row":', DEEP)}1${repeated("}", DEEP)}`,
  repeated("[", DEEP * 5),
  '{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}',
  '{"row": {"id": 1e400, "title": -0, "year": 123456789012345678901234567890}}',
  '{"row": {"title": "\\ud800"}}',
  "\ufeff{}",
  "a=1&a[b]=2&=&&&",
  `{"rows": [${repeated('{"title": "x"}', 5_000, ",")}]}`,
];

type Maker = (random: Random) => Part;

const path = (random: Random): string => pick(random, PATHS) + pick(random, FORMATS);
const table = (random: Random): string => pick(random, ["/library/books", "/wide/t"]) + pick(random, FORMATS);

/** By kind, with how many of a hundred requests are of it. */
const KINDS: Readonly<Record<string, readonly [share: number, make: Maker]>> = {
  identifiers: [
    14,
    (random) => ({ target: `/library/${encoded(pick(random, NAMES))}${pick(random, FORMATS)}` }),
  ],
  columns: [
    14,
    (random) => ({ target: `${table(random)}?${pick(random, ARGUMENTS)}=${encoded(pick(random, NAMES))}` }),
  ],
  filters: [
    10,
    (random) => {
      const operator = pick(random, ["", "__gt", "__in", "__notin", "__bogus", "__contains", "__date"]);
      const value = pick(random, [...NAMES, "[1", "1,2,,", "9".repeat(400), "{}"]);
      return { target: `${table(random)}?${encoded(pick(random, NAMES))}${operator}=${encoded(value)}` };
    },
  ],
  facets: [
    6,
    (random) => {
      const column = pick(random, ["title", "year", "c1", "c2"]);
      const facets = repeated(`_facet=${column}`, upTo(random, 300), "&");
      return { target: `${table(random)}?${facets}&note__not=${"x".repeat(upTo(random, 50_000))}` };
    },
  ],
  "long queries": [
    6,
    (random) => {
      const one = pick(random, [
        "a=1",
        "_where=1",
        "title__not=x",
        "_col=title",
        "_sort=title",
        "_extra=extras",
      ]);
      return { target: `${table(random)}?${repeated(one, upTo(random, 4_000), "&").slice(0, 60_000)}` };
    },
  ],
  where: [
    6,
    (random) => {
      const condition = pick(random, [
        "1) or (1=1",
        "1=1 union select",
        "'",
        "1 in (select 1)",
        "abs(-9223372036854775808)",
      ]);
      return { target: `${table(random)}?_where=${encoded(condition)}` };
    },
  ],
  "arguments of other plugins": [
    6,
    (random) => {
      const name = pick(random, [
        "_through",
        "_search",
        "_search_title",
        "_fts_table",
        "_next",
        "_size",
        "_shape",
      ]);
      const value = pick(random, ["{}", '{"table":"x"}', '"', "NEAR(", "*", "-1", "1e9", ...NAMES]);
      return { target: `${table(random)}?${name}=${encoded(value)}` };
    },
  ],
  statements: [
    10,
    (random) => ({
      target: `/library${pick(random, ["", ".json", ".csv"])}?sql=${encoded(pick(random, STATEMENTS))}`,
    }),
  ],
  bombs: [2, (random) => ({ target: `/library.json?sql=${encoded(pick(random, BOMBS))}` })],
  bodies: [
    6,
    (random) => ({
      method: "POST",
      target: pick(random, [
        "/library/books/-/insert",
        "/library/-/create",
        "/library/books/1/-/update",
        "/-/create-token",
      ]),
      headers: [
        `Content-Type: ${pick(random, ["application/json", "text/csv", "application/x-www-form-urlencoded", "x"])}`,
      ],
      body: pick(random, BODIES),
    }),
  ],
  headers: [
    6,
    (random) => ({
      target: path(random),
      headers: pick(random, [
        [`If-None-Match: ${repeated('"x"', 1_000, ", ")}`, "Range: bytes=0-0,5-1"],
        ["Accept: ,;q=,*/*;q=2", "Accept-Encoding: br;q=0, gzip;q=abc"],
        [`Cookie: ${repeated("a=b", 2_000, "; ")}`, "Cookie: rowhouse_actor=x.y.z"],
        ["Authorization: Bearer rhtok_x", "Authorization: Basic ="],
        ["X-Forwarded-Proto: https", "X-Forwarded-For: evil", "Forwarded: for=x"],
        ["Transfer-Encoding: chunked", "Content-Length: 5"],
        ["Content-Length: 5", "Content-Length: 6"],
        [`X-Long: ${"x".repeat(70_000)}`],
        ["no colon", "\u0000: x"],
      ]),
    }),
  ],
  methods: [
    6,
    (random) => ({
      method: pick(random, [
        "HEAD",
        "OPTIONS",
        "PUT",
        "DELETE",
        "PATCH",
        "TRACE",
        "CONNECT",
        "BREW",
        "get",
        "é",
      ]),
      target: path(random),
    }),
  ],
  paths: [
    4,
    (random) => ({
      target:
        pick(random, ["/-/static/", "/", "/library/", "/-/static-plugins/pages/"]) +
        pick(random, [
          "..%2f..%2fetc/passwd",
          "%252e%252e/x",
          "..\\..\\x",
          "~2e~2e/x",
          "%00",
          "%ff%fe",
          "/evil.example/",
          "x".repeat(5_000),
          "a/b/c/d/e/f",
        ]),
    }),
  ],
  "wide results": [2, (random) => ({ target: `/wide/t${pick(random, FORMATS)}?_size=max` })],
  departures: [
    2,
    (random) => ({
      target: pick(random, [
        "/wide/t.json?_size=max&_shape=object",
        "/wide/t?_size=max",
        "/wide/t.csv?_stream=on",
      ]),
      leaveAfterMs: upTo(random, 100),
    }),
  ],
};

/** So many requests, the kinds mixed by their shares. */
export function hostileRequests(count: number, seed: number): readonly HostileRequest[] {
  const random = seeded(seed);
  const kinds = Object.entries(KINDS).flatMap(([kind, [share, make]]) =>
    Array.from({ length: share }, () => ({ kind, make })),
  );
  return Array.from({ length: count }, () => {
    const { kind, make } = pick(random, kinds);
    return { method: "GET", headers: [], body: "", leaveAfterMs: null, ...make(random), kind };
  });
}
