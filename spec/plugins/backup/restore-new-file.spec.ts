import { readdirSync } from "node:fs";
import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { until } from "../../harness/until.js";

/** 60 MB, so that a restore takes a while. */
const FILLED =
  "create table filler (id integer primary key, data blob); " +
  "with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) insert into filler select i, randomblob(1000) from n;";

describe("rowhouse restore into a new file, and rowhouse backup", () => {
  const place = workplace();
  const namesFrom = (start: string): string[] =>
    readdirSync(place.folder).filter((name) => name.startsWith(start));

  before(() => place.database("large.db", FILLED));

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`leaves nothing behind when ${signal} ends it`, async () => {
      const restoring = place.run(["restore", "large.db", `${signal}.db`]);
      await until(() => namesFrom(signal).length > 0);
      place.killAll(signal);

      expect(await restoring).to.deep.equal({ code: 1, stdout: "", stderr: "Error: Ended by a signal\n" });
      expect(namesFrom(signal)).to.deep.equal([]);
    });
  }

  it("leaves no part of a backup behind when its terminal is closed", async () => {
    const saving = place.run(["backup", "large.db", "saved.db", "--rate", "5"]);
    await until(() => namesFrom("saved").length > 0);
    place.killAll("SIGHUP");

    expect(await saving).to.deep.equal({ code: 1, stdout: "", stderr: "Error: Ended by a signal\n" });
    expect(namesFrom("saved")).to.deep.equal([]);
  });

  it("names the folder that does not exist", async () => {
    const { code, stderr } = await place.run(["restore", "large.db", "missing/new.db"]);

    expect([code, stderr]).to.deep.equal([1, "Error: The folder missing does not exist\n"]);
  });

  it("shows no part of it under its name when it is killed", async () => {
    const restoring = place.run(["restore", "large.db", "killed.db"]);
    await until(() => namesFrom("killed").length > 0);
    place.killAll("SIGKILL");
    await restoring;

    expect(namesFrom("killed")).not.to.include("killed.db");
  });
});
