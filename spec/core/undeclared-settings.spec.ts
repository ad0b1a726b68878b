import { expect } from "chai";
import { bundledPlugins } from "rowhouse/plugins";
import { failure } from "../harness/failures.js";
import { kernelWith } from "../harness/bare-kernel.js";

describe("A setting that no loaded plugin declares", () => {
  it("cannot be read, and the message names the plugin that is switched off", async () => {
    const switchedOff = bundledPlugins.filter(({ name }) => name === "facets");
    const kernel = await kernelWith([], { switchedOff });

    expect(() => kernel.setting("allow_facet")).to.throw(
      "A plugin reads the setting allow_facet of plugin facets, which is switched off",
    );
    expect(kernel.settings.get("allow_facet")).to.equal(undefined);
  });

  it("cannot be read, and the message names the setting if the plugin is unknown", async () => {
    const kernel = await kernelWith([]);

    expect(() => kernel.setting("colour_of_the_door" as never)).to.throw(
      "A plugin reads the setting colour_of_the_door, which no plugin declares",
    );
  });

  it("does not keep another plugin from declaring it: its value is read", async () => {
    const switchedOff = bundledPlugins.filter(({ name }) => name === "facets");
    const settings = [{ name: "allow_facet", default: false, help: "Allow facets" }];

    const kernel = await kernelWith([{ name: "my-facets", settings }], { switchedOff });

    expect(kernel.setting("allow_facet")).to.equal(false);
  });
});

describe("A hook that two plugins define", () => {
  it("stops the start, naming both", async () => {
    const start = kernelWith([
      { name: "rain", hooks: { forecast: "collect" } },
      { name: "snow", hooks: { forecast: "collect" } },
    ]);

    await start.then(
      () => expect.fail("it started"),
      (error: Error) =>
        expect(error.message).to.equal("The hook forecast is defined twice: by rain and by snow"),
    );
  });
});

describe("A setting that two plugins declare", () => {
  it("stops the start, naming both", async () => {
    const settings = [{ name: "colour", default: "red", help: "The colour" }];

    const error = await failure(
      kernelWith([
        { name: "rain", settings },
        { name: "snow", settings },
      ]),
    );

    expect(error.message).to.equal("The setting colour is declared twice: by rain and by snow");
  });

  it("stops the start, naming the kernel if it declares the setting", async () => {
    const settings = [{ name: "base_url", default: "/", help: "The address" }];

    const error = await failure(kernelWith([{ name: "rain", settings }]));

    expect(error.message).to.equal("The setting base_url is declared twice: by the kernel and by rain");
  });
});
