import { rowhouseFor } from "../../harness/index.js";
import { until } from "../../harness/until.js";

describe("a clock that is set back", () => {
  const real = Date.now;
  afterEach(() => (Date.now = real));

  it("keeps no value for longer that may change although the data does not", async () => {
    const rowhouse = await rowhouseFor({ sql: "create view dice as select random() as face" });
    const face = async (): Promise<unknown> => {
      const { json } = await rowhouse.get("/library/dice.json?_facet=face");
      return json.facet_results.face.results[0].value;
    };
    const first = await face();

    Date.now = () => real() - 3_600_000;
    await until(async () => (await face()) !== first);
  });
});
