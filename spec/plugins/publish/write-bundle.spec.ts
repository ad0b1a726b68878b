import { chmodSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { writeBundle } from "../../../plugins/publish/write-bundle.js";
import { filesIn } from "./fake-tools.js";

describe("the folder of a site", () => {
  const place = workplace();
  const at = (path: string): string => join(place.folder, path);
  let usual = 0;

  before(() => {
    usual = process.umask(0o077);
  });
  after(() => process.umask(usual));

  it("is readable by the user of the server in the image, independent of local file modes", async () => {
    place.write({ "private/deep/note.txt": "a note" });
    chmodSync(at("private/deep/note.txt"), 0o600);

    const copies = [{ from: at("private"), to: "static/1" }];
    await writeBundle(at("site"), { generated: { "metadata.json": "{}" }, copies });
    const inside = readdirSync(at("site"), { recursive: true, encoding: "utf8" });

    expect(inside).to.have.members([
      "metadata.json",
      "static",
      "static/1",
      "static/1/deep",
      "static/1/deep/note.txt",
    ]);
    for (const path of inside) {
      const { mode } = statSync(at(join("site", path)));
      expect(mode & 0o004, path).to.equal(0o004);
    }
  });

  it("holds what links point at, and no history", async () => {
    place.write({ "elsewhere.txt": "from elsewhere", "linking/.git/config": "history" });
    symlinkSync(at("elsewhere.txt"), at("linking/link.txt"));

    await writeBundle(at("copied"), { generated: {}, copies: [{ from: at("linking"), to: "static/1" }] });

    expect([...filesIn(at("copied"))]).to.deep.equal([["static/1/link.txt", "from elsewhere"]]);
  });

  it("is no folder that can't be written", async () => {
    place.write({ "a-file": "" });
    const refused = await writeBundle(at("a-file/site"), { generated: {}, copies: [] }).then(
      () => "",
      (error: Error) => error.message,
    );

    expect(refused).to.match(/^Could not write .*a-file\/site: /);
  });
});
