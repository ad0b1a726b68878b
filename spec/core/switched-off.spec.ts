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
  // No plugin decides permissions, or no plugin registers any: everything is denied.
  authorization: everywhere(403),
  permissions: everywhere(403),
  browse: { "/": 404, "/library": 404 },
};

/** Plugins whose services others require. `requirements.spec.ts` shows what a start without them answers. */
const required = bundledPlugins
  .filter(({ provides = [] }) =>
    bundledPlugins.some(({ requires = [] }) => requires.some((service) => provides.includes(service))),
  )
  .map(({ name }) => name);

describe("a server without the bundled plugin", () => {
  for (const name of required) {
    it(`${name} refuses to start`, async () => {
      expect((await failure(without(name))).message).to.match(
        new RegExp(`^Plugins? .* requires? the service \\w+ of plugin ${name}, which is switched off\\. `),
      );
    });
  }

  const others = bundledPlugins.filter(({ name }) => name !== "sqlite" && !required.includes(name));
  for (const { name } of others) {
    it(`${name} starts and answers`, async () => {
      const rowhouse = await without(name);

      const answers = await Promise.all(PATHS.map((path) => rowhouse.get(path)));

      const statuses = Object.fromEntries(PATHS.map((path, index) => [path, answers[index]?.status]));
      const expected = Object.fromEntries(PATHS.map((path) => [path, ESSENTIAL[name]?.[path] ?? 200]));
      expect(statuses, rowhouse.logged.join("\n")).to.deep.equal(expected);
      expect(rowhouse.logged.filter((line) => line.startsWith("error"))).to.deep.equal([]);
    });
  }

  it("sqlite stops the start: no plugin can open the file", async () => {
    expect((await failure(without("sqlite"))).message).to.match(/^No plugin can open file:.*library\.db$/);
  });
});
