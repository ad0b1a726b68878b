import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

describe("max_insert_rows", () => {
  it("is 100 unless set, and published with the other settings", async () => {
    const plain = await rowhouseFor();
    const small = await rowhouseFor({ settings: { max_insert_rows: 3 } });

    expect((await plain.get("/-/settings.json")).json).to.include({ max_insert_rows: 100 });
    expect((await small.get("/-/settings.json")).json).to.include({ max_insert_rows: 3 });
  });
});
