import { expect } from "chai";
import { definePlugin, reply } from "rowhouse/plugin-api";
import { rowhouseFor } from "../harness/index.js";

describe("a hook function with `only`", () => {
  it("is called only for requests with one of its arguments", async () => {
    const plugin = definePlugin({
      name: "marking",
      finish_reply: {
        only: { arguments: ["_mark", "_note"] },
        run: (_rowhouse, { value }) => reply.withHeaders(value, { "x-marked": "yes" }),
      },
    });
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins: [plugin] });

    const marked = [];
    for (const query of ["", "?_mark=", "?_note=1", "?mark=1"]) {
      marked.push((await rowhouse.get(`/library/books.json${query}`)).headers["x-marked"]);
    }

    expect(marked).to.deep.equal([undefined, "yes", "yes", undefined]);
  });

  it("is called only for visits of its database, and keeps its order", async () => {
    const visited: string[] = [];
    const plugin = definePlugin({
      name: "visiting",
      before_view: {
        order: "early",
        only: { database: "library" },
        run: (_rowhouse, { visit }) => void visited.push(visit.request.path),
      },
    });
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins: [plugin] });

    for (const path of ["/.json", "/-/versions.json", "/library.json", "/library/books/1.json"]) {
      await rowhouse.get(path);
    }

    expect(visited).to.deep.equal(["/library.json", "/library/books/1.json"]);
  });
});
