import { expect } from "chai";
import { definePlugin, reply, type RouteFor } from "rowhouse/plugin-api";
import { kernelWith } from "../harness/bare-kernel.js";

const route = (name: string, when?: RouteFor<"instance">["when"]): RouteFor<"instance"> => ({
  name,
  path: "/-/shared",
  target: "instance",
  view: () => reply.text(name),
  ...(when !== undefined && { when }),
});

describe("routes that share a path", () => {
  it("are tried first if they have a condition, whichever plugin is first", async () => {
    const kernel = await kernelWith([
      definePlugin({ name: "for-all", register_routes: () => [route("for all")] }),
      definePlugin({
        name: "for-some",
        register_routes: () => [route("for some", ({ query }) => query.has("some"))],
      }),
    ]);

    expect((await kernel.fetch("/-/shared?some=1")).body).to.equal("for some");
    expect((await kernel.fetch("/-/shared")).body).to.equal("for all");
  });
});
