import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

const NAMES = ["versions", "metadata", "settings", "plugins", "threads", "databases", "actor"];

describe("Introspection documents", () => {
  it("are JSON, and pages of the same JSON", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    for (const name of NAMES) {
      const json = await rowhouse.get(`/-/${name}.json?_shape=bogus`);
      const page = await rowhouse.get(`/-/${name}`);
      expect(json.status, name).to.equal(200);
      expect(json.headers["content-type"], name).to.equal("application/json; charset=utf-8");
      expect(page.status, name).to.equal(200);
      expect(page.text, name).to.include(`${name}.json`);
    }
  });

  it("have pages for people: what settings do, where they were set, which plugins are switched off", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      settings: { max_returned_rows: 50 },
      options: { settingOrigins: { max_returned_rows: "rowhouse.yaml" }, switchedOffPlugins: ["charts"] },
    });
    const text = async (path: string): Promise<string> =>
      (await rowhouse.get(path)).text.replaceAll(/\s+/g, " ");

    const changed = await text("/-/settings?changed=1&q=returned");
    expect(changed).to.match(/id="setting-max_returned_rows".*Maximum rows that can be returned/);
    expect(changed).to.match(/<strong><code dir="auto">50<\/code>.*>1000<.*rowhouse\.yaml/);
    expect(changed).to.not.include("default_page_size");
    expect(await text("/-/settings?q=nowhere")).to.include("No setting matches.");
    expect(await text("/-/plugins")).to.match(
      /Switched off.*charts.*Bundled.*service <code dir="auto">browse/,
    );
    expect(await text("/-/databases")).to.include('<a href="/library" dir="auto">library</a>');
    expect(await text("/-/actor")).to.include("anonymous");
    expect(await text("/-/versions")).to.include(process.version);
  });

  it("are closed with the instance, except the actor's own", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, metadata: { allow: false } });

    for (const name of NAMES) {
      const { status } = await rowhouse.get(`/-/${name}.json`);
      expect(status, name).to.equal(name === "actor" ? 200 : 403);
    }
  });

  it("are there to be read only", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    for (const method of ["POST", "PUT", "DELETE"]) {
      const { status, headers, json } = await rowhouse.request(method, "/-/settings.json");
      expect(status, method).to.equal(405);
      expect(headers["allow"], method).to.include("GET");
      expect(json, method).to.deep.equal({ ok: false, error: "Method not allowed" });
    }
  });

  it("name no database, table or query that the actor may not view", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: {
        databases: {
          library: {
            tables: { books: { title: "Open" }, diaries: { allow: { id: "ann" } } },
            queries: { secrets: { sql: "select 1", allow: { id: "ann" } } },
          },
          vault: { allow: { id: "ann" } },
        },
      },
    });

    const anonymous = await rowhouse.get("/-/metadata.json");
    const ann = await rowhouse.get("/-/metadata.json", { as: "ann" });

    expect(anonymous.json).to.deep.equal({
      databases: { library: { tables: { books: { title: "Open" } }, queries: {} } },
    });
    expect(ann.text).to.include("diaries").and.to.include("secrets").and.to.include("vault");
  });

  it("list bundled plugins only with ?all=1", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    const some = await rowhouse.get("/-/plugins.json");
    const all = await rowhouse.get("/-/plugins.json?all=1");

    expect(some.text).to.not.include('"rowhouse.');
    expect(all.json.map((plugin: { name: string }) => plugin.name)).to.include("rowhouse.introspection");
  });

  it("show no secret of a plugin, whether from the environment, a file or the configuration", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-secret-"));
    await writeFile(join(folder, "key"), "of the file");
    process.env["ROWHOUSE_SPEC_SECRET"] = "of the environment";
    const plugins = {
      weather: {
        user: { $env: "ROWHOUSE_SPEC_SECRET" },
        key: { $file: join(folder, "key") },
        password: "written out",
      },
    };
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { plugins, databases: { library: { plugins, tables: { books: { plugins } } } } },
      pluginConfig: { forecast: plugins.weather },
    });
    expect(await rowhouse.rowhouse.pluginConfig("weather")).to.deep.equal({
      user: "of the environment",
      key: "of the file",
      password: "written out",
    });

    for (const name of NAMES) {
      for (const path of [`/-/${name}.json`, `/-/${name}`]) {
        const { text } = await rowhouse.get(path, { as: "root" });
        expect(text, path).not.to.match(/of the environment|of the file|written out/);
      }
    }
    await rm(folder, { recursive: true });
  });
});
