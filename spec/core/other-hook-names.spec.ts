import { expect } from "chai";
import { definePlugin, StartupError } from "rowhouse/plugin-api";
import { rowhouseFor } from "../harness/index.js";

describe("A hook with two names", () => {
  const ported = definePlugin({
    name: "ported",
    asgi_wrapper: () => (_request, response, next) => {
      response.setHeader("x-ported", "yes");
      next();
    },
    prepare_jinja2_environment: (_rowhouse, { environment }) => environment.addGlobal("ported", "said aloud"),
  });

  it("is tapped by either", async () => {
    const rowhouse = await rowhouseFor({ plugins: [ported], settings: { template_debug: true } });

    expect((await rowhouse.get("/")).headers["x-ported"]).to.equal("yes");
    expect((await rowhouse.get("/?_context=1")).text).to.include("ported");
  });

  it("is listed by one", async () => {
    const rowhouse = await rowhouseFor({ plugins: [ported] });

    const listed = (await rowhouse.get("/-/plugins.json")).json as readonly {
      name: string;
      hooks: string[];
    }[];

    expect(listed.find(({ name }) => name === "ported")?.hooks).to.deep.equal([
      "http_wrapper",
      "prepare_template_environment",
    ]);
  });

  it("is tapped twice by a plugin that uses both, as by two", async () => {
    const order: string[] = [];
    const wrapping = (word: string) => () => (_request: unknown, _response: unknown, next: () => void) => {
      order.push(word);
      next();
    };
    const rowhouse = await rowhouseFor({
      plugins: [{ name: "both", http_wrapper: wrapping("new"), asgi_wrapper: wrapping("old") }],
    });

    await rowhouse.get("/-/versions.json");

    expect(order.toSorted()).to.deep.equal(["new", "old"]);
  });

  it("does not change unknown names", async () => {
    const odd = { name: "odd", jinja2_environment: () => undefined };

    const refused = await rowhouseFor({ plugins: [odd] }).catch((error: unknown) => error);

    expect(refused).to.be.instanceOf(StartupError);
    expect((refused as Error).message).to.equal("Plugin odd taps an unknown hook: jinja2_environment");
  });
});
