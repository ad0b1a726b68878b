import { expect } from "chai";
import { definePlugin, reply, type Plugin } from "rowhouse/plugin-api";
import { nothingWanted } from "rowhouse/plugin-api/http";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";

const renderer = (members: object) => ({
  extension: "odd",
  wants: () => nothingWanted,
  render: () => reply.text("fine"),
  ...members,
});
const A_RENDERER =
  "a renderer with extension (letters, digits and _) and the functions wants and render, and redirect and canRender if any";
const A_COLUMN_TYPE =
  "a column type with name and description, and functions: checkConfig, render, transform and validate if any";
const A_DATABASE = "a database with the methods of the interface Database";

const answered = (members: string, expected: string): string =>
  `it answered an object with ${members}; it should be ${expected}`;

const startWith = (hook: string, registered: object) => {
  const plugin = { name: "weak", [hook]: () => registered } as unknown as Plugin;
  return rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins: [definePlugin(plugin)] });
};

const MISTAKES: Readonly<Record<string, readonly (readonly [registered: object, message: string])[]>> = {
  register_output_renderer: [
    [renderer({ canRender: true }), answered("extension, wants, render, canRender", A_RENDERER)],
    [renderer({ redirect: "/" }), answered("extension, wants, render, redirect", A_RENDERER)],
  ],
  register_column_types: [
    [
      { name: "odd", description: "Odd", validate: "x" },
      answered("name, description, validate", A_COLUMN_TYPE),
    ],
  ],
  open_database: [[{ read() {}, close() {} }, answered("read, close", A_DATABASE)]],
};

describe("what a plugin registers", () => {
  for (const [hook, mistakes] of Object.entries(MISTAKES))
    for (const [registered, message] of mistakes)
      it(`stops the start: ${message}`, async () => {
        const { message: said } = await failure(startWith(hook, registered));

        expect(said).to.equal(`Plugin weak failed in ${hook}: ${message}`);
      });
});
