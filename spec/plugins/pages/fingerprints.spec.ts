import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

const tables = { books: [{ id: 1 }] };
const MINE = /href="(\/[^"]*static-plugins\/mine\/mine\.css[^"]*)"/;
const JUMP = /src="(\/[^"]*static-plugins\/jump\/app\.js[^"]*)"/;

describe("the addresses of assets", () => {
  it("name the content, so that browsers need not ask again", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const address = JUMP.exec((await rowhouse.get("/")).text)?.[1] ?? "";

    expect(address).to.match(/\?[0-9a-f]{6}$/);
    expect((await rowhouse.get(address)).headers["cache-control"]).to.include("immutable");
  });

  it("do so below a base URL as well", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { base_url: "/data/" } });

    expect(JUMP.exec((await rowhouse.get("/data/")).text)?.[1]).to.match(
      /^\/data\/-\/static-plugins\/jump\/app\.js\?[0-9a-f]{6}$/,
    );
  });

  it("name the content of an installed plugin's file, and follow a change of it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-static-"));
    await writeFile(join(folder, "mine.css"), "h1 { color: red }");
    const plugin = definePlugin({
      name: "mine",
      static: pathToFileURL(`${folder}/`),
      extra_css_urls: (rowhouse) => rowhouse.urls.staticPlugin("mine", "mine.css"),
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    const before = MINE.exec((await rowhouse.get("/")).text)?.[1];
    await writeFile(join(folder, "mine.css"), "h1 { color: green }");
    // Files are checked once a second.
    let after = before ?? "";
    while (after === before) {
      await setTimeout(50);
      after = MINE.exec((await rowhouse.get("/")).text)?.[1] ?? "";
    }
    const { headers, text } = await rowhouse.get(after);
    await rm(folder, { recursive: true });

    expect(before).to.match(/^\/-\/static-plugins\/mine\/mine\.css\?[0-9a-f]{6}$/);
    expect(after)
      .to.match(/^\/-\/static-plugins\/mine\/mine\.css\?[0-9a-f]{6}$/)
      .and.not.to.equal(before);
    expect(headers["cache-control"]).to.include("immutable");
    expect(text).to.equal("h1 { color: green }");
  });
});
