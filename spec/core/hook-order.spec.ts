import { expect } from "chai";
import { permissionChain, type Plugin } from "rowhouse/plugin-api";
import { kernelWith } from "../harness/bare-kernel.js";
import { failure } from "../harness/failures.js";
import { rowhouseFor } from "../harness/index.js";

/** A plugin as an author in plain JavaScript writes it, who has no types. */
const plugin = (definition: object): Plugin => definition as Plugin;

describe("hook functions", () => {
  it("run in the order early, without order, late, last; within each in that of the plugins", async () => {
    const calls: string[] = [];
    const starting = (name: string, order?: "early" | "late" | "last"): Plugin => {
      const run = (): void => void calls.push(name);
      return { name, startup: order === undefined ? run : { order, run } };
    };

    await kernelWith([
      starting("last", "last"),
      starting("late", "late"),
      starting("plain"),
      starting("early", "early"),
      starting("other late", "late"),
      starting("other plain"),
      starting("other early", "early"),
    ]);

    expect(calls).to.deep.equal([
      "early",
      "other early",
      "plain",
      "other plain",
      "late",
      "other late",
      "last",
    ]);
  });

  it("run inside the wrappers of all plugins, of which that of the first is outermost", async () => {
    const calls: string[] = [];
    const wrapping = (name: string): Plugin => ({
      name,
      wrapHook: (run, { hook }) =>
        hook === "startup"
          ? (rowhouse, args) => {
              calls.push(name);
              return run(rowhouse, args);
            }
          : run,
    });

    await kernelWith([wrapping("outer"), wrapping("inner"), { name: "own", startup: () => undefined }]);

    expect(calls).to.deep.equal(["outer", "inner"]);
  });

  it("of permissions are called only for the actions in `only`", async () => {
    const asked: string[] = [];
    const counting = plugin({
      name: "counting",
      permission_allowed: {
        only: { actions: ["view-table"] },
        run: (_rowhouse: unknown, { action }: { readonly action: string }) => void asked.push(action),
      },
    });
    const { rowhouse } = await rowhouseFor({ plugins: [counting] });

    await rowhouse.permissions.allowed(null, permissionChain({ database: "library", table: "books" }));
    await rowhouse.permissions.allowed(null, "view-instance");

    expect(asked).to.deep.equal(["view-table"]);
  });

  it("of permissions are called once, if a plugin has both forms: the one for many resources", async () => {
    const asked: string[] = [];
    const both: Plugin = {
      name: "both",
      permission_allowed: () => void asked.push("one"),
      permission_allowed_many: (_rowhouse, { resources }) => {
        asked.push("many");
        return resources.map(() => null);
      },
    };
    const { rowhouse } = await rowhouseFor({ plugins: [both] });

    await rowhouse.permissions.allowed(null, "view-instance");

    expect(asked).to.deep.equal(["many"]);
  });
});

const owner = (name: string, kind: object): Plugin => plugin({ name, hooks: { greet: kind } });

describe("a hook", () => {
  it("that is unknown stops the start, unless the plugin names this hook as optional", async () => {
    const tapping = { name: "odd", optionalHooks: ["greet"], greet: () => null };

    expect((await kernelWith([plugin(tapping)])).plugins).to.have.length(1);
    expect((await failure(kernelWith([plugin({ ...tapping, part: () => null })]))).message).to.equal(
      "Plugin odd taps an unknown hook: part",
    );
  });

  it("that a loaded plugin defines has this definition, not that of a plugin that is switched off", async () => {
    const tapping = plugin({ name: "guest", greet: () => "Hello" });
    const off = [owner("off", { kind: "notify" })];

    const { hooks } = await kernelWith([owner("host", { kind: "first" }), tapping], { switchedOff: off });

    const { greet } = hooks as unknown as { greet: { promise(...args: unknown[]): Promise<unknown> } };
    expect(await greet.promise(null, {})).to.equal("Hello");
  });

  it("that enforces a rule may come from a loaded plugin in place of one that is switched off", async () => {
    const enforcing = { kind: "first", enforces: true };
    const tapping = plugin({ name: "guest", greet: () => "Hello" });

    const kernel = await kernelWith([owner("host", enforcing), tapping], {
      switchedOff: [owner("off", enforcing)],
    });

    expect(kernel.plugins.map(({ name }) => name)).to.deep.equal(["host", "guest"]);
  });
});
