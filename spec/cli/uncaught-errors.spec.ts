import { expect } from "chai";
import { until } from "../harness/until.js";
import { workplace } from "./command.js";

describe("a plugin that fails in its own time", () => {
  const place = workplace();

  it("is named in the log, and the server continues", async () => {
    await place.database("a.db");
    place.write({
      "plugins/timer.mjs":
        "export default { startup() { setTimeout(() => { throw new Error('of a timer'); }, 100); } };",
      "plugins/promise.mjs":
        "export default { startup() { setTimeout(() => Promise.reject(new Error('of a promise')), 100); } };",
      "plugins/pack/package.json": { main: "lib/main.mjs" },
      "plugins/pack/lib/main.mjs":
        "import { later } from './later.mjs'; export default { name: 'pack', startup: later };",
      "plugins/pack/lib/later.mjs":
        "export const later = () => { setTimeout(() => { null.nothing; }, 100); };",
    });
    const server = await place.serve(["a.db", "--plugins-dir", "plugins"]);
    await until(() => server.said().split("failed outside any request").length > 3);

    const { status } = await fetch(server.url);

    expect(status).to.equal(200);
    expect(server.said()).to.include("Plugin timer.mjs failed outside any request: of a timer");
    expect(server.said()).to.include("Plugin promise.mjs failed outside any request: of a promise");
    expect(server.said()).to.include(
      "Plugin pack failed outside any request: Cannot read properties of null",
    );
    expect((await server.stop()).code).to.equal(0);
  });

  it("is named beside the reply of --get", async () => {
    place.write({
      "early/early.mjs": "export default { startup() { Promise.reject(new Error('of a start')); } };",
    });

    const { stdout, stderr, code } = await place.run([
      "a.db",
      "--plugins-dir",
      "early",
      "--get",
      "/-/actor.json",
    ]);

    expect(stderr).to.include("Plugin early.mjs failed outside any request: of a start");
    expect([stdout, code]).to.deep.equal(['{"actor": null}\n', 0]);
  });
});

/** How long the trace says that all.mjs took to answer; NaN when it says nothing of the kind. */
const tookMs = (trace: string, hook: string): number =>
  Number(new RegExp(`^all\\.mjs ${hook}: answered after (\\d+\\.\\d) ms$`, "m").exec(trace)?.[1]);

describe("ROWHOUSE_TRACE=hooks", () => {
  const place = workplace();

  it("reports each call of a hook function: whose, in which hook, how it ended and after how long", async () => {
    await place.database("a.db");
    place.write({
      "plugins/all.mjs": `export default {
        actor_from_request: async () => { await new Promise((done) => setTimeout(done, 30)); return { id: "ann" }; },
        intercept_request() {},
        menu_links: () => [{ href: "/", label: "Start" }],
        top_homepage() { throw new Error("no luck"); },
        permission_allowed: async (rowhouse, { action }) => {
          await new Promise((done) => setTimeout(done, 30));
          return action === "view-instance" ? true : undefined;
        },
      };`,
    });

    const { stderr, code } = await place.run(["a.db", "--plugins-dir", "plugins", "--get", "/"], {
      ROWHOUSE_TRACE: "hooks",
    });

    expect(code).to.equal(0);
    expect(tookMs(stderr, "actor_from_request")).to.be.at.least(29);
    expect(stderr).to.match(/^all\.mjs intercept_request: no opinion after \d+\.\d ms$/m);
    expect(stderr).to.match(/^all\.mjs menu_links: answered after \d+\.\d ms$/m);
    expect(tookMs(stderr, "permission_allowed(?:_many)?")).to.be.at.least(29);
    expect(stderr).to.match(/^Plugin all\.mjs failed in top_homepage: no luck$/m);
    expect(stderr).to.match(/^pages register_output_renderer: answered after \d+\.\d ms$/m);
  });

  it("may be 1 instead", async () => {
    const { stderr } = await place.run(["--get", "/-/actor.json"], { ROWHOUSE_TRACE: "1" });

    expect(stderr).to.match(/^pages register_output_renderer: answered after \d+\.\d ms$/m);
  });
});
