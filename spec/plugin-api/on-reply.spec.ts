import { expect } from "chai";
import { definePlugin, reply } from "rowhouse/plugin-api";
import { onReply } from "rowhouse/plugin-api/http";
import { rowhouseFor } from "../harness/index.js";

describe("onReply", () => {
  const plugin = definePlugin({
    name: "adding",
    before_view: (_rowhouse, { visit: { request } }) => {
      for (const name of request.query.getAll("add")) {
        onReply(request, (made) =>
          reply.withHeaders(made, { "x-added": `${String(made.headers["x-added"] ?? "")}${name}` }),
        );
      }
      if (request.query.has("fail"))
        onReply(request, () => {
          throw new Error("broken");
        });
      if (request.query.has("late"))
        onReply(request, (async () => Promise.reject(new Error("late"))) as never);
    },
    finish_reply: (_rowhouse, { value }) =>
      reply.withHeaders(value, { "x-seen": String(value.headers["x-added"] ?? "nothing") }),
  });
  const server = () => rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins: [plugin] });

  it("changes the reply to its request, in order and before finish_reply", async () => {
    const rowhouse = await server();

    const changed = await rowhouse.get("/library/books.json?add=a&add=b");
    const other = await rowhouse.get("/library/books.json");

    expect(changed.headers).to.include({ "x-added": "ab", "x-seen": "ab" });
    expect(other.headers).to.include({ "x-seen": "nothing" });
  });

  it("changes replies to errors too", async () => {
    const rowhouse = await server();

    const failed = await rowhouse.get("/library/books.json?add=a&_sort=none");

    expect(failed.status).to.equal(400);
    expect(failed.headers["x-added"]).to.equal("a");
  });

  it("answers 500 when the function returns a promise, also one that is rejected", async () => {
    const rowhouse = await server();

    expect((await rowhouse.get("/library/books.json?late=1")).status).to.equal(500);
    expect(rowhouse.logged.join()).to.include("A function of onReply returned a promise");
  });

  it("answers 500 when the function fails", async () => {
    const rowhouse = await server();

    expect((await rowhouse.get("/library/books.json?fail=1")).status).to.equal(500);
  });
});
