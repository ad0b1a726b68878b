import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { WriteRejected, definePlugin, reply } from "rowhouse/plugin-api";
import { DatabaseUnavailable, UnknownOutcome } from "rowhouse/plugin-api/errors";
import { rowhouseFor } from "../../harness/index.js";

const failing = (error: unknown) =>
  definePlugin({
    name: "failing",
    register_routes: () => ({
      name: "fail",
      path: "/-/fail{.:format}",
      target: "instance",
      view: () => {
        throw error;
      },
    }),
  });

describe("an error", () => {
  it("is a document if the request wants JSON", async () => {
    const reply = await (await rowhouseFor()).get("/library/nope.json");

    expect(reply.status).to.equal(404);
    expect(reply.text).to.equal(
      '{"ok": false, "error": "Table not found: nope", "status": 404, "title": null}',
    );
  });

  it("is a document for _format=json, and a page where _json names a column", async () => {
    const rowhouse = await rowhouseFor();

    expect((await rowhouse.get("/library/nope?_format=json")).json.error).to.equal("Table not found: nope");
    expect((await rowhouse.get("/library/nope?_json=tags")).text).to.include("<!doctype html>");
  });

  it("is a page everywhere else, its message escaped", async () => {
    const reply = await (await rowhouseFor()).get("/library/~3Cscript~3E");

    expect(reply.status).to.equal(404);
    expect(reply.headers["content-type"]).to.equal("text/html; charset=utf-8");
    expect(reply.text).to.include("Table not found: &lt;script&gt;");
    expect(reply.text).not.to.include("<script>");
  });

  it("is a page also without the plugin that draws pages", async () => {
    const reply = await (await rowhouseFor({ without: ["pages"] })).get("/library/nope");

    expect(reply.status).to.equal(404);
    expect(reply.text).to.include("Table not found: nope");
  });

  it("has no route: the message is the status", async () => {
    const reply = await (await rowhouseFor()).get("/a/b/c/d/e.json");

    expect(reply.json).to.deep.equal({ ok: false, error: "404", status: 404, title: null });
  });
});

describe("an error with the setting uniform_errors", () => {
  const contents = { tables: { books: [{ id: 1 }] }, settings: { uniform_errors: true } };

  it("of a write has the messages as one text, and the status", async () => {
    const rowhouse = await rowhouseFor(contents);

    const rejected = await rowhouse.post("/library/books/-/insert", {
      as: "root",
      json: { rows: [{ a: 1 }, { b: 2 }] },
    });
    const refused = await rowhouse.post("/library/books/-/insert", { json: { row: { id: 2 } } });

    const errors = ["Row 0 has invalid columns: a", "Row 1 has invalid columns: b"];
    expect(rejected.json).to.deep.equal({ ok: false, error: errors.join("; "), errors, status: 400 });
    const error = "Permission denied";
    expect(refused.json).to.deep.equal({ ok: false, error, errors: [error], status: 403 });
  });

  it("of a read has the message as a list", async () => {
    const reply = await (await rowhouseFor(contents)).get("/library/nope.json");

    const error = "Table not found: nope";
    expect(reply.json).to.deep.equal({ ok: false, error, errors: [error], status: 404, title: null });
  });

  it("has them for a method that the path does not support", async () => {
    const reply = await (await rowhouseFor(contents)).post("/library/books.json");

    const error = "Method not allowed";
    expect(reply.json).to.deep.equal({ ok: false, error, errors: [error], status: 405 });
  });

  it("has them for a token that does not exist", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-errors-"));
    const options = { internal: join(folder, "internal.db") };
    const rowhouse = await rowhouseFor({ ...contents, options });

    const reply = await rowhouse.post("/-/tokens", { as: "root", json: { id: "none" } });

    const error = "There is no such token, or it is revoked already";
    expect(reply.json).to.deep.equal({ ok: false, error, errors: [error], status: 404 });
    await rm(folder, { recursive: true });
  });

  it("has them for SQL that fails, and for a check of a permission", async () => {
    const rowhouse = await rowhouseFor(contents);

    const failed = await rowhouse.get("/library.json?sql=select+nope,+9007199254740993");
    const check = await rowhouse.post("/-/permissions", { as: "root", form: { actor: "null" } });

    const [error, missing] = ["no such column: nope", "permission is missing"];
    expect(failed.json).to.include({ ok: false, error, status: 400, truncated: false });
    expect(failed.json.errors).to.deep.equal([error]);
    expect(check.json).to.deep.equal({
      ok: false,
      error: missing,
      errors: [missing],
      status: 400,
      title: null,
    });
  });

  it("has them for a canned query whose body is not valid", async () => {
    const queries = { add: { sql: "insert into books values (:id)", write: true } };
    const metadata = { databases: { library: { queries } } };
    const rowhouse = await rowhouseFor({ ...contents, metadata });

    const reply = await rowhouse.request("POST", "/library/add", {
      as: "root",
      headers: { "content-type": "application/json" },
      body: "{]}",
    });

    const { message } = reply.json;
    expect(reply.json).to.deep.equal({
      ok: false,
      message,
      redirect: null,
      error: message,
      errors: [message],
      status: 400,
    });
  });

  it("has them, and the status 400, for a canned query that fails while it writes", async () => {
    const queries = { add: { sql: "insert into books values (:id)", write: true } };
    const metadata = { databases: { library: { queries } } };
    const add = async (uniform_errors: boolean) =>
      (await rowhouseFor({ ...contents, settings: { uniform_errors }, metadata })).post("/library/add", {
        json: { id: 1, _json: 1 },
      });

    const [reply, before] = [await add(true), await add(false)];

    const message = "UNIQUE constraint failed: books.id";
    expect([reply.status, reply.json]).to.deep.equal([
      400,
      { ok: false, message, redirect: null, error: message, errors: [message], status: 400 },
    ]);
    expect([before.status, before.json]).to.deep.equal([200, { ok: false, message, redirect: null }]);
  });

  for (const body of ['{"ok": false, "state": "draining"}', '{"ok": false', ""]) {
    it(`does not change ${body === "" ? "an empty body" : body}, which has no message`, async () => {
      const plugin = definePlugin({
        name: "state",
        register_routes: () => ({
          name: "state",
          path: "/-/state",
          target: "instance",
          view: () => reply.json(body, 503),
        }),
      });
      const made = await (await rowhouseFor({ ...contents, plugins: [plugin] })).get("/-/state");

      expect(made.status).to.equal(503);
      expect(made.text).to.equal(body);
    });
  }

  it("is a page for browsers", async () => {
    const reply = await (await rowhouseFor(contents)).get("/library/nope");

    expect(reply.headers["content-type"]).to.equal("text/html; charset=utf-8");
  });
});

describe("a refusal", () => {
  const closed = { metadata: { allow: false } };

  it("is a document if the request wants JSON", async () => {
    const reply = await (await rowhouseFor(closed)).get("/.json");

    expect(reply.status).to.equal(403);
    expect(reply.json).to.include({ ok: false, status: 403, title: "Forbidden" });
  });

  it("is a document for Accept: application/json", async () => {
    const reply = await (await rowhouseFor(closed)).get("/", { headers: { accept: "application/json" } });

    expect(reply.json.title).to.equal("Forbidden");
  });

  it("is a page otherwise", async () => {
    const reply = await (await rowhouseFor(closed)).get("/");

    expect(reply.status).to.equal(403);
    expect(reply.headers["content-type"]).to.equal("text/html; charset=utf-8");
  });
});

describe("an error with status 503", () => {
  it("has a code, which says whether a write may be stored", async () => {
    const rowhouse = await rowhouseFor({ plugins: [failing(new UnknownOutcome())] });

    const { status, json } = await rowhouse.get("/-/fail.json");

    expect(status).to.equal(503);
    expect(json).to.include({ ok: false, status: 503, code: "UNKNOWN_OUTCOME" });
  });

  it("of a database has no link to the page that failed", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
    await rowhouse.rowhouse.addDatabase({ uri: `file:${rowhouse.file()}`, name: "gone", mutable: true });
    await rm(rowhouse.file());

    const { status, text } = await rowhouse.get("/gone");

    expect(status).to.equal(503);
    expect(/class="other-pages".*?<\/nav>/s.exec(text)?.[0])
      .to.include('href="/"')
      .and.not.include('href="/gone"');
  });

  it("has a code in the form of the write API", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
    await rowhouse.rowhouse.addDatabase({ uri: `file:${rowhouse.file()}`, name: "gone", mutable: true });
    await rm(rowhouse.file());

    const reply = await rowhouse.post("/gone/books/-/insert", { as: "root", json: { row: { id: 2 } } });

    expect(reply.status).to.equal(503);
    expect(reply.json).to.have.property("code", "DATABASE_UNAVAILABLE");
    expect(reply.json).to.have.property("errors").with.length(1);
  });
});

describe("a method that is not supported", () => {
  it("is refused in text, saying which are", async () => {
    const reply = await (await rowhouseFor()).request("PUT", "/library");

    expect(reply.status).to.equal(405);
    expect(reply.text).to.equal("Method not allowed");
    expect(reply.headers.allow).to.include("GET");
  });

  for (const [path, type] of [
    ["/library.json", "text/plain"],
    ["/library", "application/json"],
  ] as const) {
    it(`is refused in JSON for ${path} with ${type}`, async () => {
      const rowhouse = await rowhouseFor();

      const reply = await rowhouse.request("PUT", path, { headers: { "content-type": type }, body: "{}" });

      expect(reply.status).to.equal(405);
      expect(reply.text).to.equal('{"ok": false, "error": "Method not allowed"}');
    });
  }

  it("is refused in text if the content type has parameters", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    const reply = await (await rowhouseFor()).request("PUT", "/library", { headers, body: "{}" });

    expect(reply.status).to.equal(405);
    expect(reply.text).to.equal("Method not allowed");
  });
});

describe("unexpected errors", () => {
  it("is logged in its own words; the client gets neither these nor a stack", async () => {
    const rowhouse = await rowhouseFor({ plugins: [failing(new Error("the shelf fell"))] });

    const reply = await rowhouse.get("/-/fail.json");

    expect(reply.status).to.equal(500);
    expect(reply.text).not.to.include("the shelf fell");
    expect(reply.text).not.to.match(/\.js|\bat /);
    expect(rowhouse.logged.join("\n")).to.match(/error: .*the shelf fell/);
  });

  it("names no files", async () => {
    const error = Object.assign(new Error("ENOENT: /home/ann/x"), { syscall: "open", code: "ENOENT" });
    const rowhouse = await rowhouseFor({ plugins: [failing(error)] });

    expect((await rowhouse.get("/-/fail.json")).text).not.to.include("/home/ann");
  });

  it("of a busy database has Retry-After", async () => {
    const error = new DatabaseUnavailable("library is busy");
    const reply = await (await rowhouseFor({ plugins: [failing(error)] })).get("/-/fail.json");

    expect(reply.status).to.equal(503);
    expect(reply.headers["retry-after"]).to.equal("1");
  });

  it("of a write lists every mistake", async () => {
    const error = new WriteRejected(["one", "two"], 409);
    const reply = await (await rowhouseFor({ plugins: [failing(error)] })).get("/-/fail");

    expect(reply.status).to.equal(409);
    expect(reply.text).to.equal('{"ok": false, "errors": ["one", "two"]}');
  });
});

describe("an error that plugins handle", () => {
  it("is passed to all of them, also after a reply, and the first reply counts", async () => {
    const seen: string[] = [];
    const answers: (number | null)[] = [];
    const reporting = (name: string, status?: number) =>
      definePlugin({
        name,
        handle_exception: (_rowhouse, { error, value }) => {
          seen.push(`${name}: ${error.message}`);
          answers.push(value?.status ?? null);
          return status === undefined ? null : reply.text(`by ${name}`, status);
        },
      });
    const plugins = [reporting("before"), reporting("one", 410), reporting("two", 411), reporting("after")];

    const { status, text } = await (await rowhouseFor({ plugins })).get("/library/nope");

    expect([status, text]).to.deep.equal([410, "by one"]);
    expect(seen).to.deep.equal(
      ["before", "one", "two", "after"].map((name) => `${name}: Table not found: nope`),
    );
    expect(answers).to.deep.equal([null, null, 410, 410]);
  });

  it("closes the streams of replies that are not sent", async () => {
    const closed: string[] = [];
    const streaming = (name: string) =>
      definePlugin({
        name,
        handle_exception: () => ({
          status: 404,
          headers: {},
          body: Object.assign(
            (async function* () {
              yield name;
            })(),
            { destroy: () => closed.push(name) },
          ),
        }),
      });

    const { text } = await (
      await rowhouseFor({ plugins: [streaming("one"), streaming("two")] })
    ).get("/library/nope");

    expect(text).to.equal("one");
    expect(closed).to.include("two");
  });
});
