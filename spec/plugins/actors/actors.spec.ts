import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "../../harness/index.js";

describe("the actors behind ids", () => {
  const asked: (readonly string[])[] = [];
  const people = definePlugin({
    name: "people",
    actors_from_ids: (_rowhouse, { ids }) => {
      asked.push(ids);
      return { ann: { id: "ann", name: "Ann" }, nobody: { id: "nobody" } };
    },
  });

  it("come from a plugin that gets each id once; an unknown id is shown itself", async () => {
    const { rowhouse } = await rowhouseFor({ plugins: [people] });

    const actors = await rowhouse.service("actors").fromIds(["ann", "bob", "ann", "__proto__"]);

    expect(asked).to.deep.equal([["ann", "bob", "__proto__"]]);
    expect(Object.entries(actors)).to.deep.equal([
      ["ann", { id: "ann", name: "Ann" }],
      ["bob", { id: "bob" }],
      ["__proto__", { id: "__proto__" }],
    ]);
  });

  it("are shown themselves without a plugin, or if the plugin fails", async () => {
    const broken = definePlugin({
      name: "broken",
      actors_from_ids: () => {
        throw new Error("no luck");
      },
    });
    const plain = await rowhouseFor();
    const failing = await rowhouseFor({ plugins: [broken] });

    for (const { rowhouse } of [plain, failing])
      expect(await rowhouse.service("actors").fromIds(["ann"])).to.deep.equal({ ann: { id: "ann" } });
    expect(failing.logged.join("\n")).to.include("Plugin broken failed in actors_from_ids: no luck");
  });
});
