import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { TrackedEvent } from "rowhouse/plugin-api/contracts";
import { rowhouseFor } from "../../harness/index.js";

describe("events", () => {
  it("reach every plugin, also those after one that fails, whose name is logged", async () => {
    const seen: string[] = [];
    const failing = definePlugin({ name: "failing", track_event: () => Promise.reject(new Error("full")) });
    const keeping = definePlugin({
      name: "keeping",
      track_event: (_rowhouse, { event }) => void seen.push(event.name),
    });
    const { rowhouse, logged } = await rowhouseFor({ plugins: [failing, keeping] });
    const event: TrackedEvent = { name: "login", actor: { id: "ann" }, created: new Date() };

    await rowhouse.service("events").track(event);

    expect(seen).to.deep.equal(["login"]);
    expect(logged.join("\n")).to.include("Plugin failing failed in track_event");
  });
});
