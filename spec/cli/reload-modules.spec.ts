import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "./command.js";

const view = (name: string, body: string): string =>
  `{ name: "${name}", register_routes: () => [{ name: "${name}", path: "/-/${name}", view: () => ({ status: 200, headers: {}, body: ${body} }) }] }`;

const word = (text: string): Record<string, string> => ({
  "plugins/parts/deep/word.mjs": `export const word = "${text}";`,
  "plugins/parts/word.cjs": `module.exports = "${text}";`,
});

const greeting = (text: string): Record<string, string> => ({
  "late/c.mjs": `export default ${view("c", `"${text}"`)};`,
});

describe("a reload after a change of modules in folders below a plugin", () => {
  const place = workplace();

  it("imports the plugin again, whatever other plugins have changed", async () => {
    await place.database("a.db");
    place.write({
      "plugins/a.mjs": `import { word } from "./parts/word.mjs"; export default ${view("a", "word")};`,
      "plugins/parts/word.mjs": `export { word } from "./deep/word.mjs";`,
      // Requires the module at the first request.
      "plugins/b.cjs": `module.exports = ${view("b", 'require("./parts/word.cjs")')};`,
      ...word("before"),
    });
    const server = await place.serve(["a.db", "--plugins-dir", "plugins", "--pid-file", "server.pid"]);
    const words = (): Promise<string[]> =>
      Promise.all(["a", "b"].map(async (name) => (await fetch(`${server.url}/-/${name}`)).text()));
    expect(await words()).to.deep.equal(["before", "before"]);
    // As editors lock files.
    symlinkSync("ann@host.1234", join(place.folder, "plugins/.#words.json"));

    for (const text of ["once", "twice"]) {
      place.write(word(text));
      const { code, stderr } = await place.run(["reload", "--no-config", "--pid-file", "server.pid"]);

      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      expect(await words()).to.deep.equal([text, text]);
    }
  });

  it("imports the plugin again also if the clock was set back since the start", async () => {
    place.write({
      ...greeting("before"),
      "clock.cjs": `const { existsSync } = require("node:fs"); const now = Date.now;
        Date.now = () => now() + (existsSync("corrected") ? 0 : 3_600_000);`,
    });
    const words = ["a.db", "--plugins-dir", "late", "--pid-file", "late.pid"];
    const server = await place.serve(words, { NODE_OPTIONS: "--require ./clock.cjs" });

    place.write({ ...greeting("after"), corrected: "" });
    await place.run(["reload", "--no-config", "--pid-file", "late.pid"]);

    expect(await (await fetch(`${server.url}/-/c`)).text()).to.equal("after");
  });
});
