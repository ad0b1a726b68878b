import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { TestReply, TestRowhouse } from "../../harness/index.js";
import { expectNoUnhandledRejections } from "../../harness/unhandled-rejections.js";
import { internalFile, metadataOf, setType, typedPeople } from "./people.js";

const post = (rowhouse: TestRowhouse, path: string, json: unknown): Promise<TestReply> =>
  rowhouse.post(`/library/${path}`, { as: "root", json });

async function send(rowhouse: TestRowhouse, type: string, body: string): Promise<TestReply> {
  const token = await rowhouse.rowhouse.service("tokens").createToken("root");
  return rowhouse.post("/library/people/-/insert", { token, body, headers: { "content-type": type } });
}

const ONE = "insert into people (id, name, email) values (1, 'Ann', 'ann@example.org')";
const REFUSED = "in column email: not an e-mail address";

describe("A value that comes into a typed column", () => {
  const ways = [
    [
      "insert",
      "people/-/insert",
      { rows: [{ id: 2 }, { id: 3, email: "x" }] },
      `Row 1 has an invalid value ${REFUSED}`,
    ],
    [
      "insert of one row",
      "people/-/insert",
      { row: { email: "x" } },
      `Row 0 has an invalid value ${REFUSED}`,
    ],
    [
      "replace",
      "people/-/insert",
      { row: { id: 1, email: "x" }, replace: true },
      `Row 0 has an invalid value ${REFUSED}`,
    ],
    [
      "insert with new columns",
      "people/-/insert",
      { row: { EMAIL: "x" }, alter: true },
      "Row 0 has an invalid value in column EMAIL: not an e-mail address",
    ],
    ["upsert", "people/-/upsert", { rows: [{ id: 1, email: "x" }] }, `Row 0 has an invalid value ${REFUSED}`],
    ["update", "people/1/-/update", { update: { email: "x" } }, `Invalid value ${REFUSED}`],
    ["update in other letters", "people/1/-/update", { update: { EMAIL: "x" } }, `Invalid value ${REFUSED}`],
    [
      "update of many rows",
      "people/-/update",
      { update: { email: "x" }, all: true },
      `Invalid value ${REFUSED}`,
    ],
    [
      "create with rows",
      "-/create",
      { table: "people", row: { id: 2, email: "x" } },
      `Row 0 has an invalid value ${REFUSED}`,
    ],
    [
      "batch",
      "-/batch",
      {
        operations: [
          { op: "insert", table: "people", row: { name: "B" } },
          { op: "update", table: "people", key: 1, update: { email: "x" } },
        ],
      },
      `Operation 1: Invalid value ${REFUSED}`,
    ],
  ] as const;
  for (const [way, path, body, error] of ways) {
    it(`is refused by ${way}, which then changes nothing`, async () => {
      const rowhouse = await typedPeople({ sql: ONE });
      const before = await rowhouse.rows("people");

      const reply = await post(rowhouse, path, body);

      expect(reply.status).to.equal(400);
      expect(reply.json).to.deep.equal({ ok: false, errors: [error] });
      expect(await rowhouse.rows("people")).to.deep.equal(before);
    });
  }

  const streams = [
    ["text/csv", "id,email\n5,a@b.cc\n6,x\n", "Row 1 (line 3)"],
    ["application/x-ndjson", '{"id": 5}\n{"id": 6, "email": "x"}\n', "Row 1 (line 2)"],
  ] as const;
  for (const [type, body, place] of streams) {
    it(`is refused in a stream of ${type}, with its line`, async () => {
      const rowhouse = await typedPeople({ sql: ONE });

      const reply = await send(rowhouse, type, body);

      expect(reply.status).to.equal(400);
      expect(reply.json.errors).to.deep.equal([`${place} has an invalid value ${REFUSED}`]);
      expect(await rowhouse.rows("people")).to.have.length(1);
    });
  }

  it("is reported together with all other errors", async () => {
    const rowhouse = await typedPeople();

    const { json } = await post(rowhouse, "people/-/insert", {
      rows: [{ email: "x", homepage: "javascript:alert(1)" }, { settings: "{" }],
    });

    expect(json.errors).to.deep.equal([
      `Row 0 has an invalid value ${REFUSED}`,
      "Row 0 has an invalid value in column homepage: not an address beginning with http:, https: or mailto:",
      "Row 1 has an invalid value in column settings: not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ]);
  });

  it("is transformed before it is checked and stored, on every way in", async () => {
    const rowhouse = await typedPeople({ sql: ONE });
    const email = "  Bob@EXAMPLE.org ";

    await post(rowhouse, "people/-/insert", { row: { id: 2, email } });
    await post(rowhouse, "people/-/upsert", { row: { id: 3, email } });
    await post(rowhouse, "people/1/-/update", { update: { email } });
    await post(rowhouse, "-/batch", {
      operations: [{ op: "insert", table: "people", row: { id: 4, email } }],
    });
    await send(rowhouse, "text/csv", `id,email\n5,${email}\n`);
    await send(rowhouse, "application/x-ndjson", JSON.stringify({ id: 6, email }));
    await post(rowhouse, "-/create", { table: "people", row: { id: 7, email } });

    const stored = (await rowhouse.rows("people")).map((row) => row["email"]);
    expect(stored).to.deep.equal(Array.from({ length: 7 }, () => "Bob@example.org"));
  });

  it("is returned in its stored form", async () => {
    const rowhouse = await typedPeople();

    const { json } = await post(rowhouse, "people/-/insert", { row: { email: "B@C.ORG" }, return: true });

    expect(json.rows[0].email).to.equal("B@c.org");
  });

  it("is not looked at when it is NULL", async () => {
    const rowhouse = await typedPeople();
    const row = { id: 1, email: null, homepage: null, settings: null, born: null };

    expect((await post(rowhouse, "people/-/insert", { row })).status).to.equal(201);
  });

  it("is refused only after everything that makes the request itself wrong", async () => {
    const rowhouse = await typedPeople();

    const { json } = await post(rowhouse, "people/-/insert", { rows: [{ email: "x" }, { nope: 1 }] });

    expect(json.errors).to.deep.equal(["Row 1 has invalid columns: nope"]);
  });

  it("is nothing that those learn of who may not write", async () => {
    const rowhouse = await typedPeople();

    const reply = await rowhouse.post("/library/people/-/insert", {
      as: "ann",
      json: { row: { email: "x" } },
    });

    expect(reply.status).to.equal(403);
    expect(reply.json.errors).to.deep.equal(["Permission denied"]);
  });
});

const broken = (): never => {
  throw new Error("broken");
};

describe("The bundled types", () => {
  const cases = [
    ["email", "a@b.cc", true],
    ["email", "ann+tag@mail.example.org", true],
    ["email", "änn@müller.example", true],
    ["email", "a@b", false],
    ["email", "a@b@c.org", false],
    ["email", "a b@c.org", false],
    ["email", "<script>@c.org", false],
    ["email", "", false],
    ["email", 5, false],
    ["email", `${"a".repeat(250)}@b.cc`, false],
    ["homepage", "https://example.org", true],
    ["homepage", "HTTP://example.org/x?y#z", true],
    ["homepage", "mailto:a@b.cc", true],
    ["homepage", "ftp://example.org", false],
    ["homepage", "javascript:alert(1)", false],
    ["homepage", "//example.org", false],
    ["homepage", "/path", false],
    ["homepage", "https://exa mple.org", false],
    ["homepage", "https://", false],
    ["portrait", "https://example.org/a.png", true],
    ["portrait", "mailto:a@b.cc", false],
    ["portrait", "data:image/png;base64,AA==", false],
    ["settings", '{"a": [1]}', true],
    ["settings", { a: [1] }, true],
    ["settings", 5, true],
    ["settings", '"text"', true],
    ["settings", "text", false],
    ["settings", "{'a': 1}", false],
    ["settings", { $base64: true, encoded: "e30=" }, false],
    ["notes", "a\nb", true],
    ["notes", { $base64: true, encoded: "AA==" }, false],
    ["born", "2024-02-29", true],
    ["born", "2023-02-29", false],
    ["born", "2023-13-01", false],
    ["born", "1 May 2023", false],
    ["seen", "2023-05-01 23:59", true],
    ["seen", "2023-05-01T23:59:59.123Z", true],
    ["seen", "2023-05-01T23:59:59+02:00", true],
    ["seen", "2023-05-01T24:00", false],
    ["seen", "2023-05-01", false],
  ] as const;
  it("take what they should and nothing else", async () => {
    const rowhouse = await typedPeople();
    const statuses = await Promise.all(
      cases.map(async ([column, value]) => {
        const { status } = await post(rowhouse, "people/-/insert", { row: { [column]: value } });
        return [column, value, status === 201];
      }),
    );

    expect(statuses).to.deep.equal(cases);
  });
});

const rejecting = (): Promise<never> => Promise.reject(new Error("broken"));

const shout = (more: object = {}) =>
  definePlugin({
    name: "shouting",
    register_column_types: () => ({
      name: "shout",
      description: "Loud words",
      checkConfig: (config) => (typeof config === "object" ? null : "must be an object"),
      transform: (value) => String(value).toUpperCase(),
      validate: (value, config) =>
        String(value).length < (config as { least: number }).least ? "too quiet" : null,
      ...more,
    }),
  });

describe("A type of a third party", () => {
  expectNoUnhandledRejections();

  const metadata = metadataOf({ name: { type: "shout", config: { least: 3 } } });
  it("transforms and refuses with its configuration", async () => {
    const rowhouse = await typedPeople({ metadata, plugins: [shout()] });

    expect((await post(rowhouse, "people/-/insert", { row: { name: "hello" } })).status).to.equal(201);
    const { json } = await post(rowhouse, "people/-/insert", { row: { name: "hi" } });

    expect(json.errors).to.deep.equal(["Row 0 has an invalid value in column name: too quiet"]);
    expect((await rowhouse.rows("people"))[0]).to.include({ name: "HELLO" });
  });

  const failures = [
    [
      "throws in validate",
      {
        validate: broken,
      },
    ],
    ["promises an answer", { validate: () => Promise.resolve(null) }],
    [
      "throws in transform",
      {
        transform: broken,
      },
    ],
    ["makes a value that no column holds", { transform: () => ({ a: 1 }) }],
    ["rejects in validate", { validate: rejecting }],
    ["rejects in transform", { transform: rejecting }],
  ] as const;
  for (const [failure, more] of failures) {
    it(`that ${failure} lets nothing in`, async () => {
      const rowhouse = await typedPeople({ metadata, plugins: [shout(more)] });

      const reply = await post(rowhouse, "people/-/insert", { row: { name: "hello" } });

      expect(reply.status).to.equal(500);
      expect(await rowhouse.rows("people")).to.deep.equal([]);
      expect(rowhouse.logged.join("\n")).to.include("Plugin shouting failed in register_column_types: ");
    });
  }

  it("that rejects where an answer is expected is named, and leaves no rejection unhandled", async () => {
    const rowhouse = await typedPeople({
      metadata: metadataOf({ name: "shout" }),
      plugins: [
        shout({ transform: undefined, validate: rejecting, render: rejecting, checkConfig: rejecting }),
      ],
      options: { internal: internalFile() },
      sql: "insert into people (name) values ('Ann')",
    });

    const inserted = await post(rowhouse, "people/-/insert", { row: { name: "hello" } });
    const configured = await setType(rowhouse, "email", { type: "shout", config: {} });
    const shown = await rowhouse.get("/library/people");

    expect([inserted.status, configured.status, shown.status]).to.deep.equal([500, 500, 200]);
    for (const name of ["validate", "render", "checkConfig"]) {
      expect(rowhouse.logged.join("\n")).to.match(
        new RegExp(`Plugin shouting failed in .*${name} of the column type shout returned a promise`),
      );
    }
  });

  it("that throws in render is logged once, and its cells show what they hold", async () => {
    const rowhouse = await typedPeople({
      metadata,
      plugins: [shout({ render: broken })],
      sql: "insert into people (name) values ('<a>'), ('b')",
    });

    const { text } = await rowhouse.get("/library/people");

    expect(text).to.include("&lt;a&gt;");
    expect(rowhouse.logged.filter((line) => line.includes("shouting"))).to.have.length(1);
  });

  it("shows its text escaped", async () => {
    const rowhouse = await typedPeople({
      metadata,
      plugins: [shout({ render: ({ value }: { value: unknown }) => `<b>${String(value)}` })],
      sql: "insert into people (name) values ('x')",
    });

    expect((await rowhouse.get("/library/people")).text).to.include("&lt;b&gt;x");
  });

  it("does not change the entity tags of other pages", async () => {
    const rowhouse = await typedPeople({ metadata, plugins: [shout()] });

    expect((await rowhouse.get("/library/people")).headers.etag).to.be.a("string");
  });

  it("takes the place of a bundled one of its name", async () => {
    const rowhouse = await typedPeople({
      plugins: [shout({ name: "email", checkConfig: undefined, validate: undefined })],
    });

    expect((await post(rowhouse, "people/-/insert", { row: { email: "x" } })).status).to.equal(201);
    expect((await rowhouse.rows("people"))[0]).to.include({ email: "X" });
  });
});
