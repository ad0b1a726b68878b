import { Readable } from "node:stream";
import { expect } from "chai";
import { definePlugin, reply, type Plugin, type Reply } from "rowhouse/plugin-api";
import type { HookFunctions } from "rowhouse/plugin-api/kernel";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { expectNoUnhandledRejections } from "../../harness/unhandled-rejections.js";

const boom = (): never => {
  throw new Error("no luck");
};
const late = (): Promise<never> => Promise.reject(new Error("late luck"));

const withHooks = (hooks: HookFunctions): Promise<TestRowhouse> => {
  const plugins: readonly Plugin[] = [definePlugin({ name: "weak", ...hooks })];
  return rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins });
};

const said = (rowhouse: TestRowhouse): string => rowhouse.logged.join("\n");

/** Valid results of hooks, each with a getter that throws. */
const GETTERS = {
  extra_template_vars: Object.defineProperty({ fine: 1 }, "odd", { get: boom, enumerable: true }),
  extra_js_urls: Object.defineProperty({ url: "/odd.js" }, "sri", { get: boom, enumerable: true }),
  extra_css_urls: Object.defineProperty({ url: "/odd.css" }, "sri", { get: boom, enumerable: true }),
  extra_body_script: Object.defineProperty({ script: "1" }, "module", { get: boom, enumerable: true }),
  table_actions: Object.defineProperty({ href: "/", label: "Odd" }, "description", {
    get: boom,
    enumerable: true,
  }),
} as const;

describe("an object with a getter that throws", () => {
  for (const [hook, answer] of Object.entries(GETTERS)) {
    for (const run of [() => answer, () => [answer]]) {
      it(`is left out of the page, and ${hook} is named: ${String(run)}`, async () => {
        const rowhouse = await withHooks({ [hook]: run });

        const { status, text } = await rowhouse.get("/library/books");

        expect(status).to.equal(200);
        expect(text).to.include("Emma");
        expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: no luck`);
      });
    }
  }

  it("refuses the request if it is a filter, and the log names it", async () => {
    const filter = Object.defineProperty({ params: {} }, "where", { get: boom, enumerable: true });
    const rowhouse = await withHooks({ filters_from_request: () => filter as never });

    expect((await rowhouse.get("/library/books.json")).status).to.equal(500);
    expect(said(rowhouse)).to.include("Plugin weak failed in filters_from_request: no luck");
  });
});

describe("a promise where a value is expected", () => {
  expectNoUnhandledRejections();

  for (const name of ["wants", "canRender"] as const) {
    it(`that ${name} of an output format returns leaves no rejection unhandled`, async () => {
      const renderer = {
        extension: "odd",
        wants: () => ({ rows: "cells", infinity: "null", parts: new Set(), labels: false, stream: false }),
        render: () => reply.text("fine"),
        [name]: late,
      };
      const rowhouse = await withHooks({ register_output_renderer: () => renderer as never });

      const page = await rowhouse.get("/library/books");
      const format = await rowhouse.get("/library/books.odd");
      const extra = await rowhouse.get("/library/books.json?_extra=renderers");

      expect([page.status, extra.status]).to.deep.equal([200, 200]);
      expect(format.status).to.equal(name === "wants" ? 500 : 200);
      expect(page.text).not.to.include("books.odd");
      expect(said(rowhouse)).to.match(/Plugin weak failed in \w+ of odd: it (answered|returned|should be)/);
    });
  }

  const places = {
    "in a list": () => [late(), late()],
    "in an object": () => ({ href: "/odd", label: "Odd", url: "/odd", odd: late() }),
    "in an object of a list": () => [{ href: "/odd", label: "Odd", url: "/odd", odd: late() }],
  };
  const hooks = [
    "extra_template_vars",
    "table_actions",
    "extra_js_urls",
    "track_event",
    "reply_sent",
  ] as const;
  for (const [place, run] of Object.entries(places)) {
    for (const hook of hooks) {
      it(`${place} that ${hook} returns leaves no rejection unhandled, and the log names it`, async () => {
        const rowhouse = await withHooks({ [hook]: run as never });

        const page = await rowhouse.get("/library/books");
        const insert = await rowhouse.post("/library/books/-/insert", {
          as: "root",
          json: { row: { id: 2 } },
        });

        expect([page.status, insert.status]).to.deep.equal([200, 201]);
        expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: late luck`);
      });
    }

    for (const hook of ["actor_from_request", "permission_allowed", "permission_allowed_many"] as const) {
      it(`${place} that ${hook} returns leaves no rejection unhandled`, async () => {
        const rowhouse = await withHooks({ [hook]: run as never });

        const { status } = await rowhouse.get("/library/books.json");

        expect(status).to.be.oneOf([200, 403, 500]);
        expect(said(rowhouse)).to.include("Plugin weak failed in ");
      });
    }
  }
});

describe("a reply that HTTP cannot send", () => {
  const REPLIES: Readonly<Record<string, Reply>> = {
    "the status 0": reply.text("", 0),
    "the status 101": reply.text("", 101),
    "a status that is no number": reply.text("", NaN),
    "a header of two lines": reply.text("", 200, { "x-title": "two\r\nlines" }),
    "a header with other characters": reply.text("", 200, { "x-title": ["one", "☃"] }),
    "a header without a value": reply.text("", 200, { "x-title": undefined as never }),
    "a header with a blank in its name": reply.text("", 200, { "x title": "one" }),
  };
  const HOOKS = {
    intercept_request: "/library/books.json",
    before_view: "/library/books.json",
    finish_reply: "/library/books.json",
    forbidden: "/library/books.json",
    handle_exception: "/missing.json",
  } as const;
  for (const [fault, made] of Object.entries(REPLIES)) {
    for (const [hook, path] of Object.entries(HOOKS)) {
      it(`such as ${fault} is an error of the plugin whose ${hook} made it`, async () => {
        const isDenied = hook === "forbidden";
        const rowhouse = await withHooks({
          [hook]: () => made,
          permission_allowed: () => (isDenied ? false : null),
        });

        const { status, json } = await rowhouse.get(path);

        expect(status).to.equal(isDenied ? 403 : hook === "handle_exception" ? 404 : 500);
        expect(json).to.have.property("ok", false);
        expect(said(rowhouse)).to.include(`Plugin weak failed in ${hook}: it answered `);
      });
    }

    it(`such as ${fault} is an error of the plugin whose view made it`, async () => {
      const rowhouse = await withHooks({
        register_routes: () => ({ name: "odd", path: "/-/odd", target: "instance", view: () => made }),
      });

      expect((await rowhouse.get("/-/odd")).status).to.equal(500);
      expect(said(rowhouse)).to.include("Plugin weak failed in the view odd: it answered a status");
    });
  }

  it("has its body closed", async () => {
    const body = Readable.from(["one"]);
    const rowhouse = await withHooks({ before_view: () => ({ status: 0, headers: {}, body }) });

    await rowhouse.get("/library/books.json");

    expect(body.destroyed).to.equal(true);
  });
});

describe("a page that no renderer can show", () => {
  const rows = { columns: ["id"], keys: [], cells: [[1]], json: null };
  const PAGES: readonly (readonly [page: object, message: string])[] = [
    [{ data: [] }, "it answered neither a page nor a reply"],
    [{ status: "ok" }, "the status of its page is ok; it should be a number from 200 to 999"],
    [{ status: 100 }, "the status of its page is 100; it should be a number from 200 to 999"],
    [
      { rows: { ...rows, json: undefined } },
      "the rows of its page should have columns, keys, cells and json",
    ],
    [{ rows: [[1]] }, "the rows of its page should have columns, keys, cells and json"],
    [{ stream: { ...rows, labelled: [] } }, "the stream of its page should have columns, keys, labelled"],
  ];
  for (const [page, message] of PAGES)
    it(`is an error of the plugin whose view made it: ${message}`, async () => {
      const made = { name: "odd", data: { rows: [] }, ...page };
      const route = odd({ path: "/-/odd{.:format}", view: () => made });
      const rowhouse = await withHooks({ register_routes: () => route as never });

      for (const path of ["/-/odd", "/-/odd.json", "/-/odd.csv"])
        expect((await rowhouse.get(path)).status).to.equal(500);
      expect(said(rowhouse)).to.include(`Plugin weak failed in the view odd: ${message}`);
    });
});

describe("an output format that no address can name", () => {
  for (const extension of ["", "a.b", "a b", "é"])
    it(`stops the start: ${JSON.stringify(extension)}`, async () => {
      const renderer = { extension, wants: () => undefined, render: () => undefined };
      const start = withHooks({ register_output_renderer: () => renderer as never });

      expect((await failure(start)).message).to.include(
        "it should be a renderer with extension (letters, digits and _) and the functions wants and render",
      );
    });
});

describe("an empty text that a hook does not expect", () => {
  it("is called so in the log", async () => {
    const rowhouse = await withHooks({ canned_queries: () => "" as never });

    await rowhouse.get("/library.json");

    expect(said(rowhouse)).to.include(
      "Plugin weak failed in canned_queries: it answered an empty text; it should be an object of queries",
    );
  });
});

describe("a result of megabytes that a hook does not expect", () => {
  for (const answer of ["x".repeat(1e6), { ["x".repeat(1e6)]: 1 }])
    it(`is cut in the log, where it is a ${typeof answer}`, async () => {
      const rowhouse = await withHooks({ before_view: () => answer as never });

      expect((await rowhouse.get("/library/books.json")).status).to.equal(500);
      expect(said(rowhouse)).to.match(/Plugin weak failed in before_view: it answered .*x+…; it should be/);
      expect(said(rowhouse).length).to.be.below(100_000);
    });
});

const requires = () => [["view-instance", null]];
const odd = (functions: object) => ({
  name: "odd",
  path: "/-/odd",
  target: "instance",
  view: () => reply.text("here"),
  ...functions,
});

describe("a function of a route that decides who gets it", () => {
  expectNoUnhandledRejections();

  const ANSWERS: Readonly<Record<string, () => unknown>> = {
    throws: boom,
    rejects: late,
    "answers a promise": () => Promise.resolve(false),
  };
  const FUNCTIONS = ["when", "permissions", "requires", "visibleWith", "verify"] as const;
  for (const [fault, run] of Object.entries(ANSWERS))
    for (const name of FUNCTIONS.filter((one) => one !== "verify" || fault !== "answers a promise"))
      it(`refuses the request, and the log names it, where ${name} ${fault}`, async () => {
        const act = name === "verify" || name === "visibleWith" ? { requires } : {};
        const rowhouse = await withHooks({ register_routes: () => odd({ ...act, [name]: run }) as never });

        expect((await rowhouse.get("/-/odd")).status).to.equal(500);
        expect(said(rowhouse)).to.include(`Plugin weak failed in ${name} of the route odd: `);
      });

  for (const name of ["permissions", "requires"])
    it(`has a warning where ${name} names a permission that no plugin registers`, async () => {
      const visible = name === "requires" ? { visibleWith: requires } : {};
      const rowhouse = await withHooks({
        register_routes: () => odd({ [name]: () => [["veiw-instance", null]], ...visible }) as never,
      });

      const statuses = [await rowhouse.get("/-/odd"), await rowhouse.get("/-/odd")].map(
        ({ status }) => status,
      );

      expect(statuses).to.deep.equal([403, 403]);
      expect(rowhouse.logged.filter((line) => line.includes("veiw-instance"))).to.deep.equal([
        "warn: Plugin weak: the route odd needs the permission veiw-instance, which no plugin registers, did you mean view-instance?",
      ]);
    });

  it("refuses the request where permissions returns no list", async () => {
    const rowhouse = await withHooks({
      register_routes: () => odd({ permissions: () => undefined }) as never,
    });

    expect((await rowhouse.get("/-/odd")).status).to.equal(500);
    expect(said(rowhouse)).to.include("permissions of the route odd: it should be a list of pairs");
  });

  it("is an error of the plugin where redirect of an output format returns no reply", async () => {
    const renderer = {
      extension: "odd",
      wants: () => ({ rows: "cells", infinity: "null", parts: new Set(), labels: false, stream: false }),
      render: () => reply.text("fine"),
      redirect: () => 5,
    };
    const rowhouse = await withHooks({ register_output_renderer: () => renderer as never });

    expect((await rowhouse.get("/library/books.odd")).status).to.equal(500);
    expect(said(rowhouse)).to.include("Plugin weak failed in redirect of odd: it should be a reply or null");
  });
});

describe("a route that no request can reach", () => {
  const MISTAKES: readonly (readonly [route: object, message: string])[] = [
    [{ method: "get" }, "the method of the route odd is get; it should be GET, POST, PUT, PATCH or DELETE"],
    [{ method: "HEAD" }, "the method of the route odd is HEAD; it should be GET, POST, PUT, PATCH or DELETE"],
    [{ path: "-/odd" }, "the path of the route odd should begin with /"],
    [
      { target: "tabel" },
      "the target of the route odd is tabel; it should be instance, database, table, query or row",
    ],
    [
      { target: "row", path: "/:database/-/odd" },
      "the path of the route odd should contain :resource and :key, because its target is a row",
    ],
    [
      { target: "database", path: /\/(?<database>\w+)/ },
      "the path of the route odd should contain :database, because its target is a database",
    ],
  ];
  for (const [route, message] of MISTAKES)
    it(`stops the start: ${message}`, async () => {
      const start = withHooks({ register_routes: () => odd(route) as never });

      expect((await failure(start)).message).to.equal(`Plugin weak failed in register_routes: ${message}`);
    });

  it("is none if a plugin finds targets of its kind", async () => {
    const route = { path: "/:database/:resource/-/odd", target: "shelf" };
    const rowhouse = await withHooks({
      register_routes: () => odd(route) as never,
      locate_resource: (_rowhouse, { name }) => (name === "top" ? ({ kind: "shelf" } as never) : undefined),
    });

    expect((await rowhouse.get("/library/top/-/odd")).text).to.equal("here");
  });
});
