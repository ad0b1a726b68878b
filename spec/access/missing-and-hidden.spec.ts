import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { definePlugin, reply, type Plugin, type Reply } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";

const metadata = {
  databases: {
    library: {
      tables: { gone: { allow: { id: "root" } }, towns_gone: { allow: false } },
      queries: { gone_query: { sql: "select 1", allow: false } },
    },
    vault: { allow: false },
  },
};

/** Paths of what is hidden beside paths of what is not there; the names are equally long. */
const pairs: readonly (readonly [hidden: string, missing: string])[] = [
  ["/library/gone", "/library/none"],
  ["/library/gone.json", "/library/none.json"],
  ["/library/gone.csv", "/library/none.csv"],
  ["/library/gone.json?_shape=array&_nl=on", "/library/none.json?_shape=array&_nl=on"],
  ["/library/gone/1", "/library/none/1"],
  ["/library/gone/1.json", "/library/none/1.json"],
  ["/library/gone/7.json", "/library/none/7.json"],
  ["/library/gone/1,2.json", "/library/none/1,2.json"],
  ["/library/gone/1.blob?_blob_column=name", "/library/none/1.blob?_blob_column=name"],
  ["/library/gone/", "/library/none/"],
  ["/library/gone/%31", "/library/none/%31"],
  ["/library/gone/x%20y.json", "/library/none/x%20y.json"],
  ["/library/gone/1/2", "/library/none/1/2"],
  ["/library/gone/1/2/3", "/library/none/1/2/3"],
  ["/library/gone/-/nothing", "/library/none/-/nothing"],
  ["/library/gone/-/nothing.json", "/library/none/-/nothing.json"],
  ["/library/gone/1/-/nothing", "/library/none/1/-/nothing"],
  ["/library/gone_query", "/library/none_query"],
  ["/library/gone_query.json", "/library/none_query.json"],
  ["/vault", "/fault"],
  ["/vault.json", "/fault.json"],
  ["/vault.db", "/fault.db"],
  ["/vault/any", "/fault/any"],
  ["/vault/any.json", "/fault/any.json"],
  ["/vault/any/1.json", "/fault/any/1.json"],
  ["/vault/any/%31", "/fault/any/%31"],
  ["/vault/%31", "/fault/%31"],
  ["/vault/any/1/2", "/fault/any/1/2"],
  ["/vault/-/nothing", "/fault/-/nothing"],
  ["/vault.json?sql=select+1", "/fault.json?sql=select+1"],
  ["/library/towns.json?_fts_table=gone&_search=x", "/library/towns.json?_fts_table=none&_search=x"],
  [through("gone"), through("none")],
  ["/library.json?sql=select+1+from+gone", "/library.json?sql=select+1+from+none"],
  ["/library.json?sql=select+gone+from+towns", "/library.json?sql=select+none+from+towns"],
  ["/library.json?sql=select+x+from+gone", "/library.json?sql=select+x+from+none"],
  ["/library/towns.json?_where=1+in+gone", "/library/towns.json?_where=1+in+none"],
];

function through(table: string): string {
  return `/library/towns.json?_through=${encodeURIComponent(`{"table":"${table}","column":"name","value":1}`)}`;
}

/** A token that may view the open table alone. */
const TOKEN = {
  id: "root",
  token: "rhtok",
  _r: { a: ["vi"], d: { library: ["vd"] }, r: { library: { towns: ["vt"] } } },
};

/** The paths of each route that names a database, with hidden names and with missing ones. */
function routePairs({ rowhouse }: TestRowhouse): readonly (readonly [string, string, string])[] {
  const names = ["library/gone library/none", "library/gone_query library/none_query", "vault/any fault/any"];
  return rowhouse.routes.flatMap(({ method = "GET", path }) => {
    if (typeof path !== "string" || !path.includes(":database")) return [];
    const [hidden, missing] = [0, 1].map((place) =>
      names
        .map((pair) => pair.split(" ")[place] ?? "")
        .filter((name) => path.includes(":resource") || name.endsWith("/any"))
        .flatMap((name) =>
          (path.includes("{.:format}") ? ["", ".json"] : [""]).map((end) => at(path, name, end)),
        ),
    );
    return (hidden ?? []).map((one, index) => [method, one, missing?.[index] ?? ""] as const);
  });
}

function at(path: string, name: string, format: string): string {
  const [database = "", resource = ""] = name.split("/");
  const values = { database, resource, key: "1", view: "0123456789abcdef" };
  return path
    .replace("{.:format}", format)
    .replace(/:(database|resource|key|view)/g, (_, part: keyof typeof values) => values[part]);
}

const writes: readonly (readonly [hidden: string, missing: string])[] = [
  ["/library/gone/-/insert", "/library/none/-/insert"],
  ["/library/gone/-/drop", "/library/none/-/drop"],
  ["/library/gone/1/-/update", "/library/none/1/-/update"],
  ["/library/gone/1/-/delete", "/library/none/1/-/delete"],
];

describe("what is hidden and what is not there", () => {
  let rowhouse: TestRowhouse;
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-concealed-"));
    rowhouse = await rowhouseFor({
      tables: {
        towns: "id integer primary key, name text, gone_id integer references gone(id)",
        gone: "id integer primary key, name text",
        towns_gone: "id integer primary key",
      },
      sql: "insert into towns values (1, 'one', 1); insert into gone values (1, 'hidden');",
      databases: { vault: "create table any (id integer primary key)" },
      metadata,
      settings: { conceal_missing: true, confine_sql: true },
      options: { internal: join(folder, "internal.db") },
    });
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  for (const [hidden, missing] of pairs) {
    it(`are answered alike: ${hidden}`, async () => {
      const [one, other] = [await rowhouse.get(hidden), await rowhouse.get(missing)];

      expect(told(one, hidden)).to.deep.equal(told(other, missing));
    });
  }

  it("are answered alike by every route", async () => {
    const actors = [{}, { as: { id: "guest" } }, { as: TOKEN }];
    const unlike: string[] = [];
    for (const [method, hidden, missing] of routePairs(rowhouse)) {
      for (const as of actors) {
        const ask = (path: string): Promise<TestReply> =>
          method === "GET" ? rowhouse.get(path, as) : send(rowhouse, path, as);
        const [one, other] = [told(await ask(hidden), hidden), told(await ask(missing), missing)];
        if (JSON.stringify(one) !== JSON.stringify(other)) unlike.push(`${method} ${hidden}`);
      }
    }

    expect(unlike).to.deep.equal([]);
  });

  for (const [hidden, missing] of [
    ["/library/gone/-/structure", "/library/none/-/structure"],
    ["/library/gone/-/nothing", "/library/none/-/nothing"],
    ["/library/gone/1/-/edit", "/library/none/1/-/edit"],
    ["/vault/-/new-table", "/fault/-/new-table"],
    ["/vault/-/write-sql", "/fault/-/write-sql"],
    ["/vault/-/undo", "/fault/-/undo"],
    ["/vault/-/nothing", "/fault/-/nothing"],
    ["/vault.db", "/fault.db"],
  ] as const) {
    it(`are answered alike, whatever the method: ${hidden}`, async () => {
      for (const method of ["GET", "HEAD", "POST", "PUT", "OPTIONS"]) {
        const [one, other] = [
          await rowhouse.request(method, hidden),
          await rowhouse.request(method, missing),
        ];

        expect([method, told(one, hidden)]).to.deep.equal([method, told(other, missing)]);
      }
    });
  }

  it("does not keep correct paths from being corrected", async () => {
    for (const [path, location] of [
      ["/library/town%73", "/library/town~73"],
      ["/library/towns/%31", "/library/towns/~31"],
      ["/library/towns/", "/library/towns"],
    ] as const) {
      const { status, headers } = await rowhouse.get(path);

      expect([status, headers.location]).to.deep.equal([302, location]);
    }
  });

  for (const [hidden, missing] of [
    ["library/gone", "library/none"],
    ["vault/any", "fault/any"],
  ] as const) {
    for (const op of ["insert", "upsert", "update", "delete"]) {
      it(`are answered alike by an operation of a batch: ${op} ${hidden}`, async () => {
        const reply = await batch(rowhouse, op, hidden);

        expect(reply).to.deep.equal(await batch(rowhouse, op, missing));
        expect(reply).to.include({ status: 403 });
      });
    }
  }

  for (const [hidden, missing] of writes) {
    it(`are answered alike: POST ${hidden}`, async () => {
      for (const as of [{}, { as: "guest" }]) {
        expect(told(await send(rowhouse, hidden, as), hidden)).to.deep.equal(
          told(await send(rowhouse, missing, as), missing),
        );
      }
    });
  }
});

describe("a plugin that answers for names that do not exist", () => {
  for (const [order, status] of [
    ["early", 410],
    [null, 410],
    ["late", 403],
  ] as const) {
    it(`${order ?? "in its turn"} answers ${status === 410 ? "before" : "behind"} the concealment`, async () => {
      const rowhouse = await rowhouseFor({
        tables: { towns: [{ id: 1 }], gone: [{ id: 1 }] },
        metadata: { databases: { library: { tables: { gone: { allow: false } } } } },
        settings: { conceal_missing: true },
        plugins: [answering(order)],
      });

      expect((await rowhouse.get("/library/none.json")).status).to.equal(status);
    });
  }
});

/** Everything that could distinguish the two, except the requested name, which the caller knows. */
function told({ status, headers, text }: TestReply, path: string): object {
  const { date: _date, "x-request-id": _id, ...rest } = headers;
  return {
    status,
    type: rest["content-type"],
    names: Object.keys(rest),
    path: plain(decodeURIComponent(path)),
    text: plain(text),
  };
}

/** Form tokens are different on each page. */
const plain = (body: string): string =>
  body
    .replace(/(?<=name="csrftoken" value=")[^"]*/g, "")
    .replace(/\b(?:gone|none)(?=\b|_)/g, "NAME")
    .replace(/\b[vf]ault\b/g, "NAME");

const send = (rowhouse: TestRowhouse, path: string, as: object): Promise<TestReply> =>
  rowhouse.post(path, { json: { row: { id: 1 } }, ...as });

/** The reply to an operation of a batch on a table such as `library/gone`. */
async function batch(rowhouse: TestRowhouse, op: string, name: string): Promise<object> {
  const [database = "", table = ""] = name.split("/");
  const operations = [{ op, table, key: 1, row: { id: 1 }, rows: [{ id: 1 }], update: { id: 1 } }];
  return told(await rowhouse.post(`/${database}/-/batch`, { json: { operations } }), name);
}

const answer = (): Reply => reply.text("mine", 410);

const answering = (order: "early" | "late" | null): Plugin =>
  definePlugin({
    name: "answering",
    handle_exception: order === null ? answer : { order, run: answer },
  });
