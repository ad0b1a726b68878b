import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { databaseFiles, refuseChanged } from "../../../plugins/publish/database-files.js";

describe("a file that is copied", () => {
  const place = workplace();
  const looked = async () => {
    const path = join(place.folder, "data.db");
    rmSync(path, { force: true });
    await place.database("data.db");
    return databaseFiles([path])[0] ?? expect.fail("it was not taken");
  };

  it("is sound where nothing happened to it meanwhile", async () => {
    const file = await looked();

    expect(() => refuseChanged(file)).to.not.throw();
  });

  it("is refused if it changed meanwhile", async () => {
    const file = await looked();
    appendFileSync(file.path, "more");

    expect(() => refuseChanged(file)).to.throw(/data\.db changed while it was copied$/);
  });

  it("is refused if a write has begun", async () => {
    const file = await looked();
    writeFileSync(`${file.path}-journal`, "begun");

    expect(() => refuseChanged(file)).to.throw(/is being written to: data\.db-journal/);
  });
});
