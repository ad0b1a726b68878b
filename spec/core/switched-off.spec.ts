import { expect } from "chai";
import { bundledPlugins } from "rowhouse/plugins";
import { failure } from "../harness/failures.js";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const without = (name: string): Promise<TestRowhouse> => rowhouseFor({ tables, without: [name] });

const PATHS = [
  "/",
  "/library",
  "/library/books",
  "/library/books.json",
  "/library/books/1",
  "/library.json?sql=select+1",
];

function everywhere(status: number): Readonly<Record<string, number>> {
  return Object.fromEntries(PATHS.map((path) => [path, status]));
}

/** Whose absence shows in the very answers below, and what is answered then. */
const ESSENTIAL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // Nobody answers questions about permissions, or nobody registers any: everything is refused.
  "permission-desk": everywhere(403),
  permissions: everywhere(403),
  tables: { "/library/books": 404, "/library/books.json": 404, "/library/books/1": 404 },
  browse: { "/": 404, "/library": 404 },
};

describe("a server without the bundled plugin", () => {
  for (const { name } of bundledPlugins.filter((plugin) => plugin.name !== "sqlite")) {
    it(`${name} starts and answers`, async () => {
      const rowhouse = await without(name);

      const answers = await Promise.all(PATHS.map((path) => rowhouse.get(path)));

      const statuses = Object.fromEntries(PATHS.map((path, index) => [path, answers[index]?.status]));
      const expected = Object.fromEntries(PATHS.map((path) => [path, ESSENTIAL[name]?.[path] ?? 200]));
      expect(statuses, rowhouse.logged.join("\n")).to.deep.equal(expected);
      expect(rowhouse.logged.filter((line) => line.startsWith("error"))).to.deep.equal([]);
    });
  }

  it("sqlite says that nobody can open the file", async () => {
    expect((await failure(without("sqlite"))).message).to.match(/^No plugin can open file:.*library\.db$/);
  });
});
