import { expect } from "chai";
import { definePlugin, reply, type Plugin } from "rowhouse/plugin-api";
import { errorIdOf } from "rowhouse/plugin-api/errors";
import { kernelWith } from "../../harness/bare-kernel.js";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../harness/index.js";

const SECRET = "secret /etc/path";
const fail = (): never => {
  throw new Error(SECRET);
};
const ID = /[0-9a-f]{12}/;

const serve = (plugin: object, more: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }] },
    ...more,
    plugins: [{ name: "leaky", ...plugin } as Plugin],
  });

const view = (run: () => unknown) => ({
  register_routes: () => ({ name: "leak", path: "/-/leak{.:format}", target: "instance", view: run }),
});

const WANTS = { rows: "cells", infinity: "words", parts: new Set(), labels: false, stream: false };

/** A plugin whose magic parameters fail after the start, which would fail with them. */
function failingParameters(): object {
  let calls = 0;
  return {
    startup: () => void (calls = 0),
    register_magic_parameters: () => {
      calls += 1;
      return calls === 1 ? [] : fail();
    },
  };
}

/** Where a plugin fails, and the request that meets it. */
const places: Readonly<
  Record<string, { plugin: object; ask(rowhouse: TestRowhouse): Promise<TestReply>; more?: Contents }>
> = {
  "a view, asked for JSON": { plugin: view(fail), ask: (rowhouse) => rowhouse.get("/-/leak.json") },
  "a view, asked for a page": { plugin: view(fail), ask: (rowhouse) => rowhouse.get("/-/leak") },
  "a view, without the plugin pages": {
    plugin: view(fail),
    ask: (rowhouse) => rowhouse.get("/-/leak"),
    more: { without: ["pages"] },
  },
  "a view, without the plugin errors": {
    plugin: view(fail),
    ask: (rowhouse) => rowhouse.get("/-/leak"),
    more: { without: ["errors"] },
  },
  "a view, without the plugin supervision": {
    plugin: view(fail),
    ask: (rowhouse) => rowhouse.get("/-/leak.json"),
    more: { without: ["plugin-guard"] },
  },
  "a view that throws text": {
    plugin: view(() => {
      throw SECRET;
    }),
    ask: (rowhouse) => rowhouse.get("/-/leak.json"),
    more: { without: ["plugin-guard"] },
  },
  "an output format": {
    plugin: { register_output_renderer: () => ({ extension: "odd", wants: () => WANTS, render: fail }) },
    ask: (rowhouse) => rowhouse.get("/library/books.odd"),
  },
  "a CSV export": {
    plugin: { read_scope: fail },
    ask: (rowhouse) => rowhouse.get("/library/books.csv?_stream=1"),
  },
  "a custom statement": {
    plugin: { read_scope: fail },
    ask: (rowhouse) => rowhouse.get("/library.json?sql=select+1"),
  },
  "an insert": {
    plugin: { write_wrapper: fail },
    ask: (rowhouse) =>
      rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { id: 2, title: "x" } } }),
  },
  "a write that selects rows": {
    plugin: { filters_from_request: () => null, read_scope: fail },
    ask: (rowhouse) =>
      rowhouse.post("/library/books/-/delete", { as: "root", json: { filters: { title: "Emma" } } }),
  },
  "a batch": {
    plugin: { write_wrapper: fail },
    ask: (rowhouse) =>
      rowhouse.post("/library/-/batch", {
        as: "root",
        json: { operations: [{ op: "insert", table: "books", row: { id: 2, title: "x" } }] },
      }),
  },
  "a canned query": {
    plugin: failingParameters(),
    ask: (rowhouse) => rowhouse.get("/library/leak.json"),
    more: { metadata: { databases: { library: { queries: { leak: { sql: "select :_leak_x" } } } } } },
  },
  "a canned query that writes": {
    plugin: failingParameters(),
    ask: (rowhouse) => rowhouse.post("/library/leak?_json=1", { json: {} }),
    more: {
      metadata: {
        databases: {
          library: { queries: { leak: { sql: "update books set title = :_leak_x", write: true } } },
        },
      },
    },
  },
  middleware: {
    plugin: {
      http_wrapper: () => [
        (request: { url: string }, _response: object, next: () => void) =>
          request.url === "/-/leak" ? fail() : next(),
      ],
    },
    ask: (rowhouse) => rowhouse.get("/-/leak"),
  },
  "the look at who asks": {
    plugin: { actor_from_request: fail },
    ask: (rowhouse) => rowhouse.get("/library.json"),
  },
};

const messagesIn = ({ logged }: TestRowhouse): string => logged.join("\n");

describe("an error without a status", () => {
  for (const [place, { plugin, ask, more }] of Object.entries(places)) {
    it(`keeps its cause private in ${place}: reply and log line share an id`, async () => {
      const rowhouse = await serve(plugin, more);

      const answer = await ask(rowhouse);

      expect(answer.status, answer.text).to.equal(500);
      expect(answer.text).to.include("Internal server error");
      expect(answer.text)
        .to.not.include("secret")
        .and.not.include("leaky")
        .and.not.match(/\bat .*\.js/);
      const line = rowhouse.logged.find((one) => one.startsWith("error: ") && one.includes(SECRET)) ?? "";
      const [, id = "none"] = /\(error id ([0-9a-f]{12})\)/.exec(line) ?? [];
      expect(id).to.match(ID);
      expect(answer.text).to.include(id);
    });
  }

  it("has the id as the member error_id of its document", async () => {
    const rowhouse = await serve(view(fail));

    const { json } = await rowhouse.get("/-/leak.json");

    expect(json).to.deep.equal({
      ok: false,
      error: "Internal server error",
      status: 500,
      title: null,
      error_id: json.error_id,
    });
    expect(json.error_id).to.match(ID);
  });

  it("shows its message with the setting error_debug, the id as well", async () => {
    const rowhouse = await serve(view(fail), { settings: { error_debug: true } });

    const { json } = await rowhouse.get("/-/leak.json");
    const page = await rowhouse.get("/-/leak");

    expect(json.error).to.equal(`Plugin leaky failed in the view leak: ${SECRET}`);
    expect(json.error_id).to.match(ID);
    expect(page.text)
      .to.include(SECRET)
      .and.match(/Error id: [0-9a-f]{12}/);
  });

  it("is passed with its message to handle_exception, where errorIdOf gives the id of the log line", async () => {
    const reporting = definePlugin({
      name: "reporting",
      handle_exception: (_rowhouse, { error }) => reply.text(`${error.message} ${errorIdOf(error)}`, 500),
    });
    const rowhouse = await rowhouseFor({ plugins: [{ name: "leaky", ...view(fail) } as Plugin, reporting] });

    const { text } = await rowhouse.get("/-/leak");

    const [id = "none"] = ID.exec(text) ?? [];
    expect(text).to.equal(`Plugin leaky failed in the view leak: ${SECRET} ${id}`);
    expect(messagesIn(rowhouse)).to.include(`(error id ${id})`);
  });

  it("in a permission function is not the reason that the page about permissions shows", async () => {
    const rowhouse = await serve({
      permission_allowed: (_rowhouse: object, { action }: { action: string }) =>
        action === "fly" ? fail() : null,
    });

    const decision = await rowhouse.rowhouse.permissions.decide(null, "fly");

    expect(decision.allowed).to.equal(false);
    const [{ because } = { because: "" }] = decision.opinions;
    expect(because).to.match(/^the plugin failed \(error id [0-9a-f]{12}\)$/);
    const [id = "none"] = ID.exec(String(because)) ?? [];
    expect(messagesIn(rowhouse)).to.match(new RegExp(`${SECRET}.*error id ${id}|error id ${id}.*${SECRET}`));
  });
});

describe("a kernel without plugins", () => {
  it("keeps causes private too", async () => {
    const kernel = await kernelWith([{ name: "leaky", ...view(fail) } as Plugin]);

    const { status, body } = await kernel.fetch("/-/leak");

    expect(status).to.equal(500);
    expect(String(body)).to.include("Internal server error").and.not.include("secret");
  });
});

describe("an error with a status", () => {
  it("keeps its message: what the engine says about the caller's statement is for the caller", async () => {
    const rowhouse = await serve({});

    const { status, json } = await rowhouse.get("/library.json?sql=select+nope+from+books");

    expect(status).to.equal(400);
    expect(json.error).to.equal("no such column: nope");
    expect(json).to.not.have.property("error_id");
  });
});

describe("an error of a machine that has no room", () => {
  for (const [code, message] of [
    ["ENOSPC", "The disk of the server is full"],
    ["EMFILE", "The server has too many open files"],
  ]) {
    it(`is 503, and says so without its cause: ${code}`, async () => {
      const failing = view(() => {
        throw Object.assign(new Error(`${code}: ${SECRET}`), { code });
      });
      const rowhouse = await serve({ ...failing, unguarded: true });

      const { status, json } = await rowhouse.get("/-/leak.json");

      expect([status, json.error, json.code]).to.deep.equal([503, message, "UNKNOWN_OUTCOME"]);
      expect(messagesIn(rowhouse)).to.include(SECRET).and.include(json.error_id);
    });
  }
});
