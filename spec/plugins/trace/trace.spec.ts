import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };

describe("?_trace=1", () => {
  it("adds the statements behind a document, where the server is set to it", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { trace_debug: true } });

    const { json } = await rowhouse.get("/library.json?sql=select+title+from+books&_trace=1");

    expect(json.rows).to.deep.equal([["Emma"]]);
    expect(json["_trace"].num_traces).to.equal(json["_trace"].traces.length);
    expect(json["_trace"].traces.map(({ sql }: { sql: string }) => sql)).to.include(
      "select title from books",
    );
    expect(json["_trace"].sum_trace_duration_ms).to.be.above(0);
  });

  it("shows only the statements of its own request", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { trace_debug: true } });

    const [traced] = await Promise.all([
      rowhouse.get("/library.json?sql=select+1+as+mine&_trace=1"),
      rowhouse.get("/library.json?sql=select+2+as+yours"),
    ]);

    expect(traced.text).to.include("select 1 as mine").and.not.to.include("yours");
  });

  for (const [path, debug] of [
    ["/library.json?_trace=1", false],
    ["/library.json?_trace=on", true],
    ["/library/books.json?_shape=array&_trace=1", true],
  ] as const) {
    it(`changes nothing for ${path} with trace_debug ${debug ? "on" : "off"}`, async () => {
      const rowhouse = await rowhouseFor({ tables, settings: { trace_debug: debug } });

      expect((await rowhouse.get(path)).text).not.to.include('"_trace": {');
    });
  }
});
