import { expect } from "chai";
import pluginConfig from "../../../plugins/plugin-config/index.js";
import { kernelWith } from "../../harness/bare-kernel.js";

describe("configuration of plugins", () => {
  it("resolves references to the environment and to files, less one trailing newline", async () => {
    const mine = { key: { $env: "KEY" }, list: [{ $file: "/secret" }], unset: { $env: "NONE" } };
    const sources = { env: (name: string) => (name === "KEY" ? "value" : null), file: () => "text\n\n" };
    const options = { pluginConfig: { mine }, secretSources: sources };
    const kernel = await kernelWith([pluginConfig], { options });

    expect(await kernel.pluginConfig("mine")).to.deep.equal({ key: "value", list: ["text\n"], unset: null });
    expect(await kernel.pluginConfig("other")).to.equal(null);
  });
});
