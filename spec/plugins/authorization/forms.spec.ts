import { expect } from "chai";
import { definePlugin, type Plugin, type Resource } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }], old_books: [{ id: 1, title: "Beowulf" }] };
const serve = (...plugins: readonly Plugin[]): Promise<TestRowhouse> => rowhouseFor({ tables, plugins });

const isOld = (resource: Resource): boolean => Array.isArray(resource) && resource[1] === "old_books";

const forms: Readonly<Record<string, Plugin>> = {
  "a function for many resources": definePlugin({
    name: "no-old-books",
    permission_allowed_many: async (_rowhouse, { action, resources }) =>
      action === "view-table" ? resources.map((resource) => (isOld(resource) ? false : null)) : null,
  }),
  "a function for one resource": definePlugin({
    name: "no-old-books",
    permission_allowed: async (_rowhouse, { action, resource }) =>
      action === "view-table" && isOld(resource) ? false : null,
  }),
  "tapable's own tap for many resources": definePlugin({
    name: "no-old-books",
    apply: (rowhouse) =>
      rowhouse.hooks.permission_allowed_many.tap("no-old-books", (take, _rowhouse, { action, resources }) => {
        if (action === "view-table")
          take(
            "no-old-books",
            resources.map((resource) => (isOld(resource) ? false : null)),
          );
      }),
  }),
  "tapable's own tap for one resource": definePlugin({
    name: "no-old-books",
    apply: (rowhouse) =>
      rowhouse.hooks.permission_allowed.tap("no-old-books", (take, _rowhouse, { action, resource }) => {
        if (action === "view-table" && isOld(resource)) take("no-old-books", Promise.resolve(false));
      }),
  }),
};

describe("a plugin that answers permission questions with", () => {
  for (const [form, plugin] of Object.entries(forms)) {
    it(`${form} is called for one resource and for many`, async () => {
      const rowhouse = await serve(plugin);

      const one = await rowhouse.get("/library/old_books.json");
      const row = await rowhouse.get("/library/old_books/1.json");
      const list = await rowhouse.get("/library.json");
      const other = await rowhouse.get("/library/books.json");

      expect([one.status, row.status, list.status, other.status]).to.deep.equal([403, 403, 200, 200]);
      expect(list.json.tables.map(({ name }: { name: string }) => name)).to.deep.equal(["books"]);
      const old = ["library", "old_books"] as const;
      expect(await rowhouse.rowhouse.permissions.allowed(null, "view-table", old)).to.equal(false);
      expect(await rowhouse.rowhouse.permissions.visible(null, [[["view-table", old]]])).to.deep.equal([
        false,
      ]);
      expect((await rowhouse.rowhouse.permissions.decide(null, "view-table", old)).opinions).to.deep.equal([
        { plugin: "no-old-books", allowed: false, because: null },
      ]);
    });
  }

  it("both functions is called once for a check, in the form for many resources", async () => {
    const asked: string[] = [];
    const both = definePlugin({
      name: "both",
      permission_allowed: () => void asked.push("one"),
      permission_allowed_many: (_rowhouse, { resources }) => {
        asked.push(`many: ${resources.length}`);
        return null;
      },
    });
    const { rowhouse } = await serve(both);
    asked.length = 0;

    await rowhouse.permissions.allowed(null, "view-instance");
    await rowhouse.permissions.visible(null, [[["view-database", "library"]], [["view-database", "other"]]]);

    expect(asked).to.deep.equal(["many: 1", "many: 2"]);
  });

  it("a function for one resource that fails on one of a list refuses that one alone", async () => {
    const weak = definePlugin({
      name: "weak",
      permission_allowed: (_rowhouse, { resource }) => {
        if (isOld(resource)) throw new Error("no luck");
      },
    });
    const { rowhouse } = await serve(weak);

    const answers = await rowhouse.permissions.visible(null, [
      [["view-table", ["library", "books"]]],
      [["view-table", ["library", "old_books"]]],
    ]);

    expect(answers).to.deep.equal([true, false]);
  });
});

describe("the hook permission_allowed", () => {
  it("reaches functions for many resources when a plugin fires it itself", async () => {
    const { rowhouse } = await serve(forms["a function for many resources"] as Plugin);
    const taken = new Map<string, unknown>();

    rowhouse.hooks.permission_allowed.call((plugin, answer) => void taken.set(plugin, answer), rowhouse, {
      actor: null,
      action: "view-table",
      resource: ["library", "old_books"],
    });

    expect(await taken.get("no-old-books")).to.equal(false);
  });
});
