import { expect } from "chai";
import type { Plugin } from "rowhouse/plugin-api";
import { definitionMistake } from "rowhouse/plugin-api/kernel";
import { failure } from "../harness/failures.js";
import { rowhouseFor } from "../harness/index.js";
import { expectNoUnhandledRejections } from "../harness/unhandled-rejections.js";

const SETTINGS =
  "settings should be a list of objects with name (text without blanks), help (text), default (an integer from 0 on, text, true or false), and check (a function) if any";
const shelf = { name: "shelf", help: "A shelf", default: 1 };

/** Members of a plugin in plain JavaScript, with what is wrong with them. */
const MISTAKES: readonly (readonly [members: object, message: string])[] = [
  [{ name: "" }, "name should be text"],
  [{ apiVersion: "1" }, "apiVersion should be a number"],
  [{ settings: [{ name: "shelf" }] }, SETTINGS],
  [{ settings: [{ ...shelf, name: "a shelf" }] }, SETTINGS],
  [{ settings: [{ ...shelf, help: undefined }] }, SETTINGS],
  [{ settings: [{ ...shelf, default: -1 }] }, SETTINGS],
  [{ settings: [{ ...shelf, default: 1.5 }] }, SETTINGS],
  [{ settings: [{ ...shelf, check: "shelf" }] }, SETTINGS],
  [{ requires: "tables" }, "requires should be a list of names"],
  [{ provides: [5] }, "provides should be a list of names"],
  [{ optionalHooks: "shelf_made" }, "optionalHooks should be a list of names"],
  [{ deterministic: "yes" }, "deterministic should be true or false"],
  [
    { static: "static/" },
    'static should be a file URL of a folder, such as new URL("static/", url) with the url of import.meta',
  ],
  [
    { templates: new URL("https://localhost/") },
    'templates should be a file URL of a folder, such as new URL("static/", url) with the url of import.meta',
  ],
  [{ setup: 5 }, "setup should be a function"],
  [
    { hooks: { shelf_made: "colect" } },
    "hooks should be an object of declarations, each with one of the kinds notify, first, firstOfAll, collect, transform, poll",
  ],
  [{ startup: { order: "erly", run: () => undefined } }, "order of startup should be early, late or last"],
  [
    { table_actions: { only: { actoins: ["x"] }, run: () => undefined } },
    "only of table_actions has no member actoins: use actions, arguments or database",
  ],
  [
    { table_actions: { only: { arguments: "x" }, run: () => undefined } },
    "arguments in only of table_actions should be a list of names",
  ],
  [
    { setup: () => ({ startup: { order: "erly", run: () => undefined } }) },
    "order of startup should be early, late or last",
  ],
];

const startWith = (members: object) =>
  failure(rowhouseFor({ plugins: [{ name: "weak", ...members } as Plugin] }));

describe("the definition of a plugin", () => {
  expectNoUnhandledRejections();

  for (const [members, message] of MISTAKES)
    it(`stops the start with a mistake: ${message}`, async () => {
      const { name = "weak" } = members as { readonly name?: string };

      expect((await startWith(members)).message).to.equal(`Plugin ${name}: ${message}`);
    });

  it("has a mistake if its settings are no list", () => {
    expect(definitionMistake({ name: "weak", settings: { shelf: 1 } })).to.equal(SETTINGS);
  });

  it("stops the start if it is an instance of a class, since methods of classes are no members", async () => {
    class Weak {
      readonly name = "weak";
      permission_allowed(): boolean {
        return false;
      }
    }
    const asPlugin = await failure(rowhouseFor({ plugins: [new Weak()] }));
    const fromSetup = await startWith({ setup: () => new Weak() });

    expect(asPlugin.message).to.equal(
      "Plugin weak: it is an instance of a class; write definePlugin({ ... })",
    );
    expect(fromSetup.message).to.equal(
      "Plugin weak failed in setup: it returned an instance of a class instead of an object of hook functions",
    );
  });

  for (const name of ["setup", "apply"])
    it(`stops the start if ${name} is asynchronous, since its hook functions would be missing`, async () => {
      const error = await startWith({ [name]: () => Promise.reject(new Error("no luck")) });

      expect(error.message).to.equal(
        `Plugin weak failed in ${name}: it returned a promise instead of its result`,
      );
    });

  it("may leave members undefined, and give an address of a folder as text", async () => {
    const members = {
      requires: undefined,
      static: import.meta.url,
      startup: { only: {}, run: () => undefined },
    };
    const rowhouse = await rowhouseFor({ plugins: [{ name: "fine", ...members } as unknown as Plugin] });

    expect((await rowhouse.get("/.json")).status).to.equal(200);
  });
});
