import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

const tables = { books: [{ id: 1 }] };
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

  it("are not added to files of plugins that may change", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-static-"));
    await writeFile(join(folder, "mine.css"), "h1 { color: red }");
    const plugin = definePlugin({
      name: "mine",
      static: pathToFileURL(`${folder}/`),
      extra_css_urls: (rowhouse) => rowhouse.urls.staticPlugin("mine", "mine.css"),
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [plugin] });

    const { text } = await rowhouse.get("/");
    const { headers } = await rowhouse.get("/-/static-plugins/mine/mine.css");
    await rm(folder, { recursive: true });

    expect(text).to.include('href="/-/static-plugins/mine/mine.css"');
    expect(headers["cache-control"] ?? "").not.to.include("immutable");
  });
});
