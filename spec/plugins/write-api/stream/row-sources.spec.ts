import { expect } from "chai";
import { failure } from "../../../harness/failures.js";
import { csvRows } from "../../../../plugins/write-api/stream/row-sources.js";

async function* body(): AsyncGenerator<string> {
  yield "c1\n";
  yield "1\n".repeat(100_000);
}

describe("the rows of a CSV body", () => {
  it("come in chunks of at most 8,192, however many of them a piece of the body contains", async () => {
    let count = 0;

    for await (const rows of csvRows(body(), { delimiter: ",", header: true })) {
      expect(rows.length).to.be.at.most(8_192);
      count += rows.length;
    }

    expect(count).to.equal(100_000);
  });

  it("have each column name once", async () => {
    const names = Array.from({ length: 1_999 }, (_, index) => `c${index}`);
    async function* header(): AsyncGenerator<string> {
      yield [...names, "c1998"].join(",");
    }

    const reading = csvRows(header(), { delimiter: ",", header: true })[Symbol.asyncIterator]().next();

    expect(await failure(reading)).to.have.property("message", "Duplicate column name: c1998");
  });
});
