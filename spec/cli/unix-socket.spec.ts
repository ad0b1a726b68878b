import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "./command.js";

const LONG_NAME = `${"s".repeat(120)}.sock`;

const mistakes: Readonly<Record<string, readonly [path: string, reason: string]>> = {
  "a database": ["data.db", "this is a file, and not a socket. Choose another path"],
  "a folder": ["folder", "this is a folder"],
  "a path in a missing folder": ["nowhere/s.sock", "its folder does not exist"],
  "a path that is cut by the system": [
    LONG_NAME,
    `the path of a socket has at most ${process.platform === "linux" ? 107 : 103} bytes`,
  ],
};

describe("a Unix socket to listen on", () => {
  const place = workplace();

  before(async () => {
    await place.database("data.db");
    mkdirSync(join(place.folder, "folder"));
  });

  for (const [mistake, [path, reason]] of Object.entries(mistakes)) {
    it(`is refused: ${mistake}`, async () => {
      const before = readFileSync(join(place.folder, "data.db"));

      const { code, stderr } = await place.run(["data.db", "--uds", path]);

      expect(stderr).to.equal(`Error: Could not listen on ${join(place.folder, path)}: ${reason}\n`);
      expect(code).to.equal(1);
      expect(readFileSync(join(place.folder, "data.db")).equals(before)).to.equal(true);
    });
  }

  it("is refused by several workers, too", async () => {
    const { code, stderr } = await place.run(["data.db", "--uds", "data.db", "--workers", "2"]);

    expect(stderr).to.include("this is a file, and not a socket");
    expect(code).to.equal(1);
    expect(readFileSync(join(place.folder, "data.db"), "latin1")).to.match(/^SQLite format 3/);
  });
});
