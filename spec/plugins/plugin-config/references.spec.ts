import { expect } from "chai";
import { Kernel, type KernelOptions } from "rowhouse";
import type { Plugin } from "rowhouse/plugin-api";
import pluginConfig from "../../../plugins/plugin-config/index.js";
import { closeWhenDone } from "../../harness/lifetimes.js";

async function kernelWith(plugins: readonly Plugin[], more: Partial<KernelOptions> = {}): Promise<Kernel> {
  const inputs = [pluginConfig, ...plugins].map((plugin) => ({ plugin, bundled: false }));
  const kernel = await Kernel.open({ plugins: inputs, secrets: ["a secret for specs"], ...more });
  closeWhenDone(kernel);
  return kernel;
}

describe("configuration of plugins", () => {
  it("resolves references to the environment and to files, less one trailing newline", async () => {
    const mine = { key: { $env: "KEY" }, list: [{ $file: "/secret" }], unset: { $env: "NONE" } };
    const sources = { env: (name: string) => (name === "KEY" ? "value" : null), file: () => "text\n\n" };
    const options = { pluginConfig: { mine }, secretSources: sources };
    const kernel = await kernelWith([], { options });

    expect(await kernel.pluginConfig("mine")).to.deep.equal({ key: "value", list: ["text\n"], unset: null });
    expect(await kernel.pluginConfig("other")).to.equal(null);
  });
});
