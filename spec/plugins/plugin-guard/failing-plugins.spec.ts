import type { ServerResponse } from "node:http";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import { definePlugin, html, reply, type Plugin, type Renderer, type RouteFor } from "rowhouse/plugin-api";
import type { SuggestionQuestion, WriteWrapper } from "rowhouse/plugin-api/contracts";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { HookFunctions } from "rowhouse/plugin-api/kernel";
import { failure } from "../../harness/failures.js";
import { until } from "../../harness/until.js";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";

const LIMIT_MS = 60;

const boom = (): never => {
  throw new Error("no luck");
};
const throwValue = (value: unknown): never => {
  throw value;
};
const never = (): Promise<never> => new Promise(() => {});
const nonsense = (): never => 5 as never;
/** A promise whose class is not `Promise` of this program, as in libraries with promises of their own. */
const promised = (value: unknown): never => runInNewContext("Promise.resolve(value)", { value }) as never;

/** The ways in which a hook function can be no good, each with what is said of it. */
const FAULTS: readonly (readonly [fault: string, run: () => never | Promise<never>, reason: string])[] = [
  ["throws", boom, "no luck"],
  ["rejects", () => Promise.reject(new Error("no luck")), "no luck"],
  ["hangs", never, `no answer within ${LIMIT_MS} ms`],
  ["answers nonsense", nonsense, "it answered 5; it should be "],
  ["throws what has no text", () => throwValue(Object.create(null)), "a thrown value without a text"],
];

const withPlugins = (plugins: readonly Plugin[], more: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }] },
    plugins,
    ...more,
    settings: { hook_time_limit_ms: LIMIT_MS, ...more.settings },
  });

const named = (hooks: HookFunctions): Plugin => definePlugin({ name: "weak", ...hooks });

const said = (rowhouse: TestRowhouse): string => rowhouse.logged.join("\n");

describe("a plugin that is no good in a hook of each request", () => {
  const hooks = [
    "actor_from_request",
    "intercept_request",
    "before_view",
    "finish_reply",
    "locate_resource",
  ] as const;
  for (const hook of hooks) {
    for (const [fault, run, reason] of FAULTS) {
      it(`refuses the request where it ${fault} in ${hook}, and the log names it`, async () => {
        const rowhouse = await withPlugins([named({ [hook]: run })]);

        const { status, json } = await rowhouse.get("/library/books.json");

        expect(status).to.equal(500);
        expect(json.error).to.equal("Internal server error");
        expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: ${reason}`);
      });
    }
  }
});

describe("a plugin that is no good at answering errors", () => {
  for (const hook of ["forbidden", "handle_exception"] as const) {
    for (const [fault, run] of FAULTS) {
      it(`is passed over where it ${fault} in ${hook}`, async () => {
        const rowhouse = await withPlugins([named({ [hook]: run })], {
          metadata: hook === "forbidden" ? { allow: false } : {},
        });

        const { status, json } = await rowhouse.get(hook === "forbidden" ? "/library.json" : "/nowhere.json");

        expect(status).to.equal(hook === "forbidden" ? 403 : 404);
        expect(json).to.include({ ok: false, status });
        expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: `);
      });
    }
  }
});

describe("a plugin that is no good at permissions", () => {
  for (const hook of ["permission_allowed", "permission_allowed_many"] as const) {
    for (const [fault, run] of FAULTS) {
      it(`refuses where it ${fault} in ${hook}, whatever others allow`, async () => {
        const generous = definePlugin({ name: "generous", permission_allowed: () => true });
        const rowhouse = await withPlugins([generous, named({ [hook]: run })]);

        const alone = await rowhouse.rowhouse.permissions.allowed({ id: "ann" }, "view-table", [
          "library",
          "books",
        ]);
        const [together] = await rowhouse.rowhouse.permissions.visible({ id: "ann" }, [
          [["view-table", ["library", "books"]]],
          [["view-table", ["library", "others"]]],
        ]);

        expect(alone).to.equal(false);
        expect(together).to.equal(false);
        expect(said(rowhouse)).to.include("Plugin weak failed in permission_allowed for view-table: ");
        expect(said(rowhouse)).not.to.include("failed in permission_allowed for view-table: Plugin weak");
      });
    }
  }

  it("refuses those of a list for whom the answer is missing", async () => {
    const short = named({ permission_allowed_many: () => [true] });
    const weak = await withPlugins([short]);

    expect(
      await weak.rowhouse.permissions.visible(
        null,
        ["library", "other"].map((resource) => [["view-database", resource]]),
      ),
    ).to.deep.equal([true, false]);
    expect(said(weak)).to.include(
      "failed in permission_allowed for view-database: 1 opinions for 2 resources",
    );
  });
});

describe("a plugin that is no good at decorating a page", () => {
  const hooks = [
    "render_cell",
    "extra_css_urls",
    "extra_js_urls",
    "extra_body_script",
    "extra_template_vars",
    "menu_links",
    "table_actions",
    "top_table",
    "register_facet_classes",
  ] as const;
  for (const hook of hooks) {
    for (const [fault, run, reason] of FAULTS) {
      it(`leaves its place empty where it ${fault} in ${hook}, beside what others add`, async () => {
        const fine = definePlugin({ name: "fine", top_table: () => html`<p>From a fine plugin</p>` });
        const rowhouse = await withPlugins([named({ [hook]: run }), fine]);

        const { status, text } = await rowhouse.get("/library/books");

        expect(status).to.equal(200);
        expect(text).to.include("Emma").and.include("From a fine plugin");
        expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: ${reason}`);
      });
    }
  }

  const others = {
    homepage_actions: "/",
    top_homepage: "/",
    database_actions: "/library",
    top_database: "/library",
    canned_queries: "/library",
    row_actions: "/library/books/1",
    top_row: "/library/books/1",
    top_query: "/library?sql=select+1",
    query_actions: "/library?sql=select+1",
    view_actions: "/library/all_books",
  } as const;
  for (const [hook, path] of Object.entries(others)) {
    it(`leaves its place empty in ${hook}, too`, async () => {
      const rowhouse = await withPlugins([named({ [hook]: boom })], {
        views: { all_books: "select * from books" },
      });

      expect((await rowhouse.get(path)).status).to.equal(200);
      expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: no luck`);
    });
  }

  it("links nowhere that browsers would run", async () => {
    for (const href of ["javascript:alert(1)", " java\nscript:alert(1)", "data:text/html,x"]) {
      const rowhouse = await withPlugins([named({ table_actions: () => ({ href, label: "Run me" }) })]);

      const { status, text } = await rowhouse.get("/library/books");

      expect(status).to.equal(200);
      expect(text).not.to.include("Run me");
      expect(said(rowhouse)).to.include(
        "Plugin weak failed in table_actions: it answered an object with href, label",
      );
    }
  });

  it("is named where queries are none, and those of others stay", async () => {
    const mistakes = [{ write: "yes" }, { params: "a" }, { params: [1] }, { params: { a: 1 } }];
    const queries = mistakes.map((mistake) => ({ sql: "select :a", ...mistake }));
    for (const query of [5, {}, { sql: 5 }, ["select 1"], ...queries]) {
      const fine = definePlugin({ name: "fine", canned_queries: () => ({ one: "select 1" }) });
      const rowhouse = await withPlugins([named({ canned_queries: () => ({ bad: query as never }) }), fine]);

      expect((await rowhouse.get("/library/one.json?_shape=arrayfirst")).json).to.deep.equal([1]);
      expect((await rowhouse.get("/library/bad.json")).status).to.equal(404);
      expect((await rowhouse.get("/-/openapi.json")).status).to.equal(200);
      expect(said(rowhouse)).to.include(
        "Plugin weak failed in canned_queries: it answered an object with bad",
      );
    }
  });

  it("is left alone for a minute after it took too long, so that no page waits for it twice", async () => {
    let calls = 0;
    const hangs = (): Promise<never> => {
      calls++;
      return never();
    };
    const rowhouse = await withPlugins([named({ menu_links: hangs })]);

    for (const path of ["/", "/library", "/library/books"]) await rowhouse.get(path);

    expect(calls).to.equal(1);
  });

  it("is logged once, not for every cell", async () => {
    const rowhouse = await withPlugins([named({ render_cell: boom })]);

    await rowhouse.get("/library/books");

    expect(rowhouse.logged.filter((line) => line.includes("render_cell"))).to.have.length(1);
  });
});

const insert = (rowhouse: TestRowhouse) =>
  rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { id: 2, title: "Persuasion" } } });

const route = (view: RouteFor<"instance">["view"]): Plugin =>
  named({ register_routes: () => [{ name: "mine", path: "/-/mine", target: "instance", view }] });

const misspeltSql: RouteFor<"instance">["view"] = async ({ rowhouse }) =>
  reply.json(String(await rowhouse.database("library").read("select titel from books")));

const rejected = (): never => {
  throw new SqlFailed("no such column: titel", "other");
};

const countRows = async ({ selection }: Pick<SuggestionQuestion, "selection">): Promise<[]> => {
  await selection.database.read(`select count(*) ${selection.fromWhere}`, selection.params);
  return [];
};

const oddValue = (key: string): never => {
  if (key === "fails") throw new TypeError("no luck");
  if (key === "nonsense") return {} as never;
  throw new RangeError(`There is no odd ${key}`);
};

const renderer = (more: Partial<Renderer>): Plugin =>
  named({
    register_output_renderer: () => ({
      extension: "odd",
      wants: () => ({
        rows: "cells",
        infinity: "null",
        parts: new Set<string>(),
        labels: false,
        stream: false,
      }),
      render: () => reply.text("fine"),
      ...more,
    }),
  });

describe("a plugin that is no good around writes", () => {
  for (const [fault, run] of FAULTS.slice(0, 3)) {
    it(`changes nothing where it ${fault} in track_event`, async () => {
      const rowhouse = await withPlugins([named({ track_event: run })]);

      expect((await insert(rowhouse)).status).to.equal(201);
      expect(said(rowhouse)).to.include("Plugin weak failed in track_event: ");
    });

    it(`has the write rolled back where its wrapper ${fault}, and the next one goes through`, async () => {
      let isWeak = true;
      const wrapper = <T>(write: () => Promise<T>): Promise<T> =>
        isWeak ? write().then(() => run()) : write();
      const rowhouse = await withPlugins([named({ write_wrapper: () => [wrapper] })]);

      const refused = await insert(rowhouse);
      isWeak = false;

      expect(refused.status).to.equal(500);
      expect(said(rowhouse)).to.include("Plugin weak failed in write_wrapper: ");
      expect(await rowhouse.rows("books")).to.have.length(1);
      expect((await insert(rowhouse)).status).to.equal(201);
    });
  }

  it("is named in the log if the engine rejects a statement of its wrapper, but not one of the write", async () => {
    let sql = "update books set titel = ''";
    const wrapper: WriteWrapper = async (write, transaction) => {
      await write();
      await transaction.run(sql);
    };
    const rowhouse = await withPlugins([named({ write_wrapper: () => [wrapper] })]);

    expect((await insert(rowhouse)).status).to.equal(400);
    expect(said(rowhouse)).to.include("warn: Plugin weak failed in write_wrapper: no such column: titel");

    sql = "select 1";
    const twice = { as: "root", json: { row: { id: 1, title: "Emma" } } };
    expect((await rowhouse.post("/library/books/-/insert", twice)).status).to.equal(400);
    expect(said(rowhouse)).not.to.include("UNIQUE");
  });

  for (const [fault, run] of FAULTS) {
    it(`has the write refused where it ${fault} in write_wrapper`, async () => {
      const rowhouse = await withPlugins([named({ write_wrapper: run })]);

      expect((await insert(rowhouse)).status).to.equal(500);
      expect(await rowhouse.rows("books")).to.have.length(1);
    });
  }

  it("lets a form through only where its CSRF token is right, however skip_csrf fails", async () => {
    for (const run of [boom, never, () => "" as never]) {
      const rowhouse = await withPlugins([named({ skip_csrf: run })]);

      const { status } = await rowhouse.post("/-/logout", { as: "ann", form: { csrftoken: "wrong" } });

      expect(status).to.be.oneOf([403, 500]);
    }
  });

  it("is named where it answers something else than true in skip_csrf", async () => {
    const rowhouse = await withPlugins([named({ skip_csrf: nonsense })]);

    // A JSON body needs no token, which the next plugin would say.
    const { status } = await insert(rowhouse);

    expect(status).to.equal(500);
    expect(said(rowhouse)).to.include(
      "Plugin weak failed in skip_csrf: it answered 5; it should be true, or nothing",
    );
  });
});

describe("a plugin that narrows what is read", () => {
  it("is named in the log if the engine rejects its condition, but not for one of the client", async () => {
    const wrong = { where: "titel = :title", params: { title: "Emma" }, description: null };
    const right = definePlugin({
      name: "good",
      filters_from_request: () => ({ where: "id > :id", params: { id: 0 }, description: null }),
    });
    const rowhouse = await withPlugins([
      named({ filters_from_request: { only: { arguments: ["_titel"] }, run: () => wrong } }),
      right,
    ]);

    expect((await rowhouse.get("/library/books.json?_where=titel=1")).status).to.equal(400);
    expect(said(rowhouse)).not.to.include("Plugin");
    expect((await rowhouse.get("/library/books.json?_titel=1")).status).to.equal(400);
    expect(said(rowhouse)).to.include(
      "warn: Plugin weak failed in filters_from_request: no such column: titel",
    );
    expect(said(rowhouse)).not.to.include("good");
  });

  const wrong = { throws: boom, hangs: never, misspells: () => ({ wher: "id > 1" }) as never };
  for (const [fault, run] of Object.entries(wrong)) {
    it(`hides everything where it ${fault}`, async () => {
      const rowhouse = await withPlugins([named({ read_scope: run })]);

      const { status, text } = await rowhouse.get("/library/books.json");

      expect(status).to.equal(500);
      expect(text).not.to.include("Emma");
      expect(said(rowhouse)).to.include("Plugin weak failed in read_scope: ");
    });
  }
});

const response = () => new Response("Hello", { status: 201 }) as never;

describe("a part that a plugin brings", () => {
  it("is named with its plugin where a page of its own fails", async () => {
    const first = await withPlugins([route(boom)]);
    const second = await withPlugins([route(() => undefined as never)]);

    const throwing = await first.get("/-/mine");
    const empty = await second.get("/-/mine");

    expect(said(first)).to.include("Plugin weak failed in the view mine: no luck");
    expect(said(second)).to.include(
      "Plugin weak failed in the view mine: it answered neither a page nor a reply",
    );
    expect([throwing.status, empty.status]).to.deep.equal([500, 500]);
  });

  it("has its page and the member named that have no JSON form", async () => {
    const circular: { self?: object } = {};
    circular.self = circular;
    for (const [value, reason] of [
      [boom, "A function has no JSON form"],
      [circular, "Maximum call stack size exceeded"],
    ] as const) {
      const page = { name: "notes", data: { ok: true, notes: { first: value } } };
      const rowhouse = await withPlugins([
        named({
          register_routes: () => ({
            name: "notes",
            path: "/-/notes{.:format}",
            target: "instance",
            view: () => page,
          }),
        }),
      ]);

      expect((await rowhouse.get("/-/notes.json")).status).to.equal(500);
      expect(said(rowhouse)).to.include(`The member notes of the page notes is not valid: ${reason}`);
    }
  });

  it("is named in the log if the engine rejects its SQL, since the client gets the message of the engine", async () => {
    const rowhouse = await withPlugins([route(misspeltSql)]);

    const { status, text } = await rowhouse.get("/-/mine");

    expect(status).to.equal(400);
    expect(text).to.include("no such column: titel").and.not.include("weak");
    expect(said(rowhouse)).to.include("warn: Plugin weak failed in the view mine: no such column: titel");
  });

  it("is named in the log if its statement cannot be read with", async () => {
    const rowhouse = await withPlugins([
      route(async (visit) => {
        await visit.rowhouse.database("library").read("delete from books");
        return reply.text("deleted");
      }),
    ]);

    expect((await rowhouse.get("/-/mine")).status).to.equal(400);
    expect(said(rowhouse)).to.include(
      "warn: Plugin weak failed in the view mine: Statement must be a SELECT",
    );
  });

  it("is named in the log for a rejected statement in a hook, unless it is not guarded", async () => {
    const hooks = { before_view: rejected };
    const guarded = await withPlugins([named(hooks)]);
    const unguarded = await withPlugins([definePlugin({ name: "weak", unguarded: true, ...hooks })]);

    const statuses = [
      (await guarded.get("/library/books.json")).status,
      (await unguarded.get("/library/books.json")).status,
    ];

    expect(statuses).to.deep.equal([400, 400]);
    expect(said(guarded)).to.include("warn: Plugin weak failed in before_view: no such column: titel");
    expect(said(unguarded)).not.to.include("weak");
  });

  for (const body of [undefined, null, 5, {}]) {
    it(`is named with its plugin where a page or an output format has the body ${JSON.stringify(body)}`, async () => {
      const rowhouse = await withPlugins([
        route(() => reply.text(body as never)),
        { ...renderer({ render: () => reply.text(body as never) }), name: "odd" },
      ]);

      const paths = ["/-/mine", "/library/books.odd"];
      const statuses = await Promise.all(paths.map(async (path) => (await rowhouse.get(path)).status));

      expect(statuses).to.deep.equal([500, 500]);
      expect(said(rowhouse)).to.include(
        "Plugin weak failed in the view mine: it answered neither a page nor a reply",
      );
      expect(said(rowhouse)).to.include("Plugin odd failed in the renderer odd: it answered no reply");
    });
  }

  it("is named with its plugin where it answers a Response of fetch instead of a reply", async () => {
    const rowhouse = await withPlugins([route(response), { ...renderer({ render: response }), name: "odd" }]);
    const early = await withPlugins([named({ intercept_request: response })]);

    const statuses = [
      (await rowhouse.get("/-/mine")).status,
      (await rowhouse.get("/library/books.odd")).status,
      (await early.get("/library/books.json")).status,
    ];

    expect(statuses).to.deep.equal([500, 500, 500]);
    expect(said(rowhouse)).to.include(
      "Plugin weak failed in the view mine: it answered neither a page nor a reply",
    );
    expect(said(rowhouse)).to.include(
      "Plugin odd failed in the renderer odd: it answered no reply, as reply.text()",
    );
    expect(said(early)).to.include("Plugin weak failed in intercept_request: it answered");
  });

  it("is named by its path if it has no name", async () => {
    const nameless = named({ register_routes: () => ({ path: "/-/mine", view: boom }) as never });
    const rowhouse = await withPlugins([nameless]);

    expect((await rowhouse.get("/-/mine")).status).to.equal(500);
    expect(said(rowhouse)).to.include("Plugin weak failed in the view /-/mine: no luck");
  });

  it("is named with its plugin where a page or an output format never comes, and others are served meanwhile", async () => {
    const rowhouse = await withPlugins([route(never), { ...renderer({ render: never }), name: "slow" }], {
      settings: { view_time_limit_ms: LIMIT_MS },
    });

    const [page, format, other] = await Promise.all(
      ["/-/mine", "/library/books.odd", "/library/books.json"].map((path) => rowhouse.get(path)),
    );

    expect([page?.status, format?.status, other?.status]).to.deep.equal([500, 500, 200]);
    const late = `no answer within ${LIMIT_MS} ms`;
    expect(said(rowhouse)).to.include(`Plugin weak failed in the view mine: ${late}`);
    expect(said(rowhouse)).to.include(`Plugin slow failed in the renderer odd: ${late}`);
  });

  it("may take its time with what was sent to it", async () => {
    const slow = async (): Promise<ReturnType<typeof reply.text>> => {
      await new Promise((done) => setTimeout(done, 2 * LIMIT_MS));
      return reply.text("stored");
    };
    const plugin = named({
      register_routes: () => ({
        name: "mine",
        path: "/-/mine",
        method: "POST",
        target: "instance",
        view: slow,
      }),
    });
    const rowhouse = await withPlugins([plugin], { settings: { view_time_limit_ms: LIMIT_MS } });

    expect((await rowhouse.post("/-/mine", { json: {} })).text).to.equal("stored");
  });

  it("is named where an output format fails, and not offered where it can't say whether it fits", async () => {
    const rowhouse = await withPlugins([renderer({ render: boom, canRender: boom })]);

    const page = await rowhouse.get("/library/books");
    const format = await rowhouse.get("/library/books.odd");

    expect(page.status).to.equal(200);
    expect(page.text).not.to.include("books.odd");
    expect(said(rowhouse)).to.include("Plugin weak failed in canRender of odd: no luck");
    expect(format.status).to.equal(500);
    expect(said(rowhouse)).to.include("Plugin weak failed in the renderer odd: no luck");
  });

  it("is named where a magic parameter never comes", async () => {
    const rowhouse = await withPlugins([
      named({
        register_magic_parameters: () => [["odd", never]],
        canned_queries: () => ({
          odd: "select :_odd_key",
          add: { sql: "insert into books (title) values (:_odd_key)", write: true },
        }),
      }),
    ]);

    expect((await rowhouse.get("/library/odd.json")).status).to.equal(500);
    expect((await rowhouse.post("/library/add?_json=1", { form: {} })).status).to.equal(500);
    expect(said(rowhouse)).to.include(`the magic parameter odd: no answer within ${LIMIT_MS} ms`);
    expect(await rowhouse.rows("books")).to.have.length(1);
  });

  it("is named where a magic parameter fails, or answers no value, but not for an unknown key", async () => {
    const rowhouse = await withPlugins([
      named({
        register_magic_parameters: () => [["odd", oddValue]],
        canned_queries: () => ({
          fails: "select :_odd_fails",
          nonsense: "select :_odd_nonsense",
          unknown: "select :_odd_unknown",
        }),
      }),
    ]);
    const statusOf = async (query: string) => (await rowhouse.get(`/library/${query}.json`)).status;

    expect(await statusOf("unknown")).to.equal(400);
    expect(said(rowhouse)).not.to.include("weak");
    expect(await statusOf("fails")).to.equal(400);
    expect(said(rowhouse)).to.include("warn: Plugin weak failed in the magic parameter odd: no luck");
    expect(await statusOf("nonsense")).to.equal(500);
    expect(said(rowhouse)).to.include("Plugin weak failed in the magic parameter odd: it answered no value");
  });

  for (const wants of [boom, nonsense, () => ({ rows: "cells" }) as never]) {
    it(`is named where an output format can't say what it wants: ${String(wants)}`, async () => {
      const rowhouse = await withPlugins([renderer({ wants })]);

      expect((await rowhouse.get("/library/books.odd")).status).to.equal(500);
      expect(said(rowhouse)).to.include("Plugin weak failed in wants of odd: ");
      expect((await rowhouse.get("/library/books.json")).status).to.equal(200);
    });
  }

  for (const [fault, run, reason] of FAULTS) {
    it(`is named, and the request refused, where a token handler ${fault}`, async () => {
      const handler = { name: "odd", verifyToken: run };
      const rowhouse = await withPlugins([named({ register_token_handler: () => handler })]);

      const { status } = await rowhouse.get("/-/actor.json", { token: "odd_1" });

      expect(status).to.equal(500);
      expect(said(rowhouse)).to.include("Plugin weak failed in the token handler odd: ");
      if (fault !== "answers nonsense") expect(said(rowhouse)).to.include(reason);
      expect((await rowhouse.get("/-/actor.json")).status).to.equal(200);
    });
  }

  const facetFaults: readonly (readonly [fault: string, run: () => never])[] = [
    ["throws", boom],
    ["hangs", () => never() as never],
    ["answers no list", () => Promise.resolve(5) as never],
    ["answers nothing", () => null as never],
    ["answers values that are none", () => Promise.resolve([null, { value: 1 }]) as never],
  ];
  for (const [fault, run] of facetFaults) {
    it(`is missing from the page, and named, where it is a facet that ${fault}`, async () => {
      const facet = { type: "odd", values: run, suggest: run };
      const rowhouse = await withPlugins([named({ register_facet_classes: () => [facet] })]);

      const requested = await rowhouse.get("/library/books.json?_facet_odd=title&_facet=title");
      const page = await rowhouse.get("/library/books");

      expect([requested.status, page.status]).to.deep.equal([200, 200]);
      expect(Object.keys(requested.json.facet_results)).to.deep.equal(["title"]);
      expect(said(rowhouse)).to.match(/Plugin weak failed in the facet odd: (?!Plugin)/);
    });
  }

  it("is left alone for a minute where it is a facet that took too long", async () => {
    let calls = 0;
    const hangs = (): Promise<never> => {
      calls++;
      return never();
    };
    const facet = { type: "odd", values: hangs, suggest: hangs };
    const rowhouse = await withPlugins([named({ register_facet_classes: () => [facet] })]);

    for (const size of [1, 2, 3]) await rowhouse.get(`/library/books?_facet_odd=title&_size=${size}`);

    expect(calls).to.equal(2);
  });

  it("is missing from the page where it is a facet that fails", async () => {
    const facet = { type: "odd", values: boom, suggest: boom };
    const rowhouse = await withPlugins([named({ register_facet_classes: () => [facet] })]);

    const { status, json } = await rowhouse.get("/library/books.json?_facet_odd=title");

    expect(status).to.equal(200);
    expect(json.facet_results).not.to.have.property("title");
    expect((await rowhouse.get("/library/books")).status).to.equal(200);
    expect(said(rowhouse)).to.include("Plugin weak failed in the facet odd: no luck");
  });

  it("is missing from the page, and named, where it is a facet whose SQL the engine rejects", async () => {
    const facet = { type: "odd", values: rejected, suggest: rejected };
    const rowhouse = await withPlugins([named({ register_facet_classes: () => [facet] })]);

    const { status, json } = await rowhouse.get("/library/books.json?_facet_odd=title");

    expect(status).to.equal(200);
    expect(json.facet_results).not.to.have.property("title");
    expect(said(rowhouse)).to.include("Plugin weak failed in the facet odd: no such column: titel");
  });

  it("is not named where it is a facet, and a condition of the client is rejected", async () => {
    const facet = { type: "odd", values: countRows, suggest: countRows };
    // A busy machine needs more time for a statement than the others here.
    const rowhouse = await withPlugins([named({ register_facet_classes: () => [facet] })], {
      settings: { hook_time_limit_ms: 5000 },
    });

    for (const condition of ["_where=nope(1)", "title__arraycontains=a"]) {
      const { status } = await rowhouse.get(`/library/books?${condition}&_nocount=1&_facet_odd=title`);
      expect(status).to.equal(400);
    }

    expect(said(rowhouse)).not.to.include("Plugin weak");
  });

  it("answers with the site's own error page, without a stack, where it is middleware that throws", async () => {
    const rowhouse = await withPlugins([
      named({ prepare_app: (_rowhouse, { app }) => void app.use("/-/here", boom), http_wrapper: () => [] }),
    ]);

    const { status, text } = await rowhouse.get("/-/here");

    expect(status).to.equal(500);
    expect(text).to.include("Internal server error").and.not.include("no luck").and.not.include("    at ");
    expect(said(rowhouse)).to.include("no luck");
    expect((await rowhouse.get("/")).status).to.equal(200);
  });
});

const beginning =
  (fail: () => unknown) =>
  (_request: unknown, response: ServerResponse): unknown => {
    response.write("the first bytes");
    return fail();
  };

describe("middleware that fails after the first bytes of its reply", () => {
  for (const [fault, fail] of [
    ["throws", boom],
    ["rejects", () => Promise.reject(new Error("no luck"))],
  ] as const) {
    it(`has its connection closed where it ${fault}, so that no client waits for the rest`, async function () {
      this.timeout(10_000);
      const rowhouse = await withPlugins([named({ http_wrapper: () => [beginning(fail) as never] })]);

      await failure(rowhouse.get("/library/books.json"));

      expect(said(rowhouse)).to.include("no luck");
    });
  }
});

describe("a plugin that is no good at the start", () => {
  const hooks = [
    "register_permissions",
    "open_database",
    "register_routes",
    "register_output_renderer",
    "register_token_handler",
    "register_magic_parameters",
    "startup",
    "prepare_app",
    "http_wrapper",
    "prepare_connection",
    "get_metadata",
  ] as const;
  const LATE = { settings: { hook_time_limit_ms: 5 } };
  for (const hook of hooks) {
    it(`stops the start, which names it, where it throws or hangs in ${hook}`, async () => {
      const throwing = await failure(withPlugins([named({ [hook]: boom })]));
      const hanging = await failure(withPlugins([named({ [hook]: never })], LATE));

      expect(throwing.message).to.include(`Plugin weak failed in ${hook}: no luck`);
      expect(hanging.message).to.match(
        new RegExp(`Plugin weak failed in ${hook}: no answer within (5|60) ms`),
      );
    });
  }

  for (const hook of hooks.filter(
    (name) => !["startup", "prepare_app", "prepare_connection"].includes(name),
  )) {
    it(`stops the start where it answers nonsense in ${hook}`, async () => {
      const { message } = await failure(withPlugins([named({ [hook]: nonsense })]));

      expect(message).to.include(`Plugin weak failed in ${hook}: it answered 5; it should be `);
    });
  }

  for (const hook of ["register_facet_classes", "register_metrics"] as const) {
    it(`is left out where it fails in ${hook}, and the log of the start names it`, async () => {
      const rowhouse = await withPlugins([named({ [hook]: nonsense })]);

      expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: it answered 5; it should be `);
      expect((await rowhouse.get("/library/books?_facet=title")).status).to.equal(200);
    });
  }

  it("may register what its own start makes", async () => {
    const made = new Map<string, string>();
    const registered = (): never => {
      if (!made.has("ready")) throw new Error("It is called before the start");
      return [] as never;
    };
    const late = named({
      startup: () => void made.set("ready", "yes"),
      register_token_handler: registered,
      register_magic_parameters: registered,
      register_facet_classes: registered,
      register_metrics: registered,
    });

    expect(said(await withPlugins([late]))).to.equal("");
  });

  it("is named where an error of Rowhouse stops the start", async () => {
    const opening = named({ startup: (rowhouse) => void rowhouse.database("nothing") });
    const reading = named({
      startup: async (rowhouse) => void (await rowhouse.database("library").read("select nope")),
    });

    expect((await failure(withPlugins([opening]))).message).to.equal(
      "Plugin weak failed in startup: Database not found: nothing",
    );
    expect((await failure(withPlugins([reading]))).message).to.equal(
      "Plugin weak failed in startup: no such column: nope",
    );
  });

  it("stops the start where its apply() throws", async () => {
    const { message } = await failure(withPlugins([definePlugin({ name: "weak", apply: boom })]));

    expect(message).to.equal("Plugin weak failed in apply: no luck");
  });

  it("does not prevent closing", async () => {
    for (const run of [boom, never]) {
      const rowhouse = await withPlugins([named({ shutdown: run })]);

      await rowhouse.close();

      expect(said(rowhouse)).to.include("Plugin weak failed in shutdown: ");
    }
  });
});

describe("plugins in the right", () => {
  it("may throw errors of Rowhouse, which stay what they are", async () => {
    const { NotFound } = await import("rowhouse/plugin-api");
    const strict = named({
      intercept_request: () => {
        throw new NotFound("not for you");
      },
    });

    const { status, json } = await (await withPlugins([strict])).get("/.json");

    expect([status, json.error]).to.deep.equal([404, "not for you"]);
  });

  it("may have a name without a query, which is none", async () => {
    const some = named({
      canned_queries: () => ({ one: "select 1", none: undefined as never, nil: null as never }),
    });
    const rowhouse = await withPlugins([some]);

    expect((await rowhouse.get("/library/one.json?_shape=arrayfirst")).json).to.deep.equal([1]);
    expect((await rowhouse.get("/library/none.json")).status).to.equal(404);
    expect((await rowhouse.get("/library.json")).status).to.equal(200);
    expect(said(rowhouse)).to.equal("");
  });

  it("may answer with a function that answers, or promises to", async () => {
    const late = (() => async () => [{ href: "/late", label: "Late link" }]) as never;
    const known = (() => () => ({ id: "ann" })) as never;
    const broken = (() => boom) as never;
    const rowhouse = await withPlugins([
      named({ menu_links: late, actor_from_request: known, table_actions: broken }),
    ]);

    expect((await rowhouse.get("/library/books")).text).to.include("Late link");
    expect((await rowhouse.get("/-/actor.json")).json).to.deep.equal({ actor: { id: "ann" } });
    expect(said(rowhouse)).to.include("Plugin weak failed in table_actions: no luck");
  });

  it("may answer with a promise of another library, which has the same time limit", async () => {
    const rowhouse = await withPlugins([
      named({
        actor_from_request: () => promised({ id: "ann" }),
        intercept_request: () => promised(null),
        permission_allowed: () => promised(null),
        menu_links: () => promised({ href: "/late", label: "Late link" }),
        table_actions: () => promised(5),
        skip_csrf: () => runInNewContext("new Promise(() => {})") as never,
      }),
    ]);

    expect((await rowhouse.get("/library/books")).text).to.include("Late link");
    expect((await rowhouse.get("/-/actor.json")).json).to.deep.equal({ actor: { id: "ann" } });
    expect(said(rowhouse)).to.match(/^error: Plugin weak failed in table_actions: it answered 5; [^\n]+$/);
    expect((await rowhouse.post("/-/logout", { as: "ann", form: {} })).status).to.equal(500);
    expect(said(rowhouse)).to.include(`Plugin weak failed in skip_csrf: no answer within ${LIMIT_MS} ms`);
  });

  it("may give an opinion on permissions by a function", async () => {
    for (const opinion of [false, true, null]) {
      const late = (() => async () => opinion) as never;
      const rowhouse = await withPlugins([named({ permission_allowed: late })]);

      const { status } = await rowhouse.get("/library/books.json");

      expect([opinion, status]).to.deep.equal([opinion, opinion === false ? 403 : 200]);
      expect(said(rowhouse)).to.equal("");
    }
  });

  it("may act by a function where nothing is expected, before the server continues", async () => {
    const calls: string[] = [];
    const later = (call: string) =>
      (() => async () => {
        await new Promise((done) => setTimeout(done, 5));
        calls.push(call);
      }) as never;
    const rowhouse = await withPlugins([
      named({
        startup: later("startup"),
        prepare_connection: later("connection"),
        track_event: later("event"),
      }),
    ]);

    expect(calls).to.include("startup");
    await rowhouse.get("/library/books.json");
    expect(calls).to.include("connection");
    await insert(rowhouse);
    await until(() => calls.includes("event"));
  });

  it("may skip the CSRF token by a function", async () => {
    const rowhouse = await withPlugins([named({ skip_csrf: (() => () => true) as never })]);

    const { status } = await rowhouse.post("/-/logout", { as: "ann", form: { csrftoken: "wrong" } });

    expect(status).to.equal(302);
  });

  it("may return the Express application, which is not called", async () => {
    const rowhouse = await withPlugins([named({ prepare_app: (_rowhouse, { app }) => app as never })]);

    expect((await rowhouse.get("/library/books.json")).status).to.equal(200);
    expect(said(rowhouse)).to.equal("");
  });

  it("return no actor with an empty result, and the next plugin is called", async () => {
    const empty = named({ actor_from_request: () => "" as never });
    const knows = definePlugin({ name: "knows", actor_from_request: () => ({ id: "ann" }) });
    const rowhouse = await withPlugins([empty, knows]);

    expect((await rowhouse.get("/-/actor.json")).json).to.deep.equal({ actor: { id: "ann" } });
  });

  it("may take all the time they want where the limit is 0", async () => {
    const slow = named({
      menu_links: async () => {
        await new Promise((done) => setTimeout(done, 2 * LIMIT_MS));
        return [{ href: "/slow", label: "Slow link" }];
      },
    });
    const rowhouse = await withPlugins([slow], { settings: { hook_time_limit_ms: 0 } });

    expect((await rowhouse.get("/")).text).to.include("Slow link");
  });
});
