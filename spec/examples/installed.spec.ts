import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";
import { Browser } from "./browser.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const OFFLINE = { npm_config_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };

const DATABASE = `
  create table shops (id integer primary key, keeper text, name text, isbn text, latitude real, longitude real, takings integer);
  insert into shops values
    (1, 'mona', 'Bookshop', '978-0-14-143958-7', 51.38, -2.36, 4242), (2, 'lisa', 'Whispered', null, 1, 2, 1);`;

const metadata = (github: string): object => ({
  plugins: {
    "auth-github": {
      client_id: "client",
      client_secret: { $env: "GITHUB_SECRET" },
      site: github,
      api: github,
    },
  },
  permissions: { "edit-schema": { gh_login: "lisa" } },
  databases: {
    town: {
      tables: {
        shops: {
          plugins: {
            "row-owners": {
              column: "keeper",
              actor: "gh_login",
              hide: ["takings"],
              exempt: { gh_login: "lisa" },
            },
          },
        },
      },
    },
  },
});

interface IdentityServer {
  readonly url: string;
  account: { readonly id: number; readonly login: string };
  close(): Promise<void>;
}

/** The one that the plugin's own specs use. */
async function identityServer(): Promise<IdentityServer> {
  const module = new URL("../../../examples/auth-github/dist/spec/identity-server.js", import.meta.url);
  const { identityServer: start } = (await import(module.href)) as {
    identityServer: (account: IdentityServer["account"]) => Promise<IdentityServer>;
  };
  return start({ id: 1, login: "mona" });
}

describe("the worked plugins, packed and installed with the command into an empty folder", function () {
  this.timeout(300_000);
  const place = workplace();
  let github: IdentityServer;
  let server: Serving;
  let said = "";

  before(async () => {
    github = await identityServer();
    const names = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
      .map(({ name }) => name);
    const folders = names.map((name) => join(ROOT, "examples", name));
    // They are built; npm need not do it once more.
    execFileSync(
      "npm",
      ["pack", "--silent", "--ignore-scripts", "--pack-destination", place.folder, ...folders],
      {
        cwd: place.folder,
        env: { ...process.env, ...OFFLINE },
      },
    );
    const tarballs = names.map((name) => `./rowhouse-plugin-${name}-0.1.0.tgz`);
    said = (await place.run(["install", ...tarballs], OFFLINE)).stderr;
    await place.database("town.db", DATABASE);
    place.write({ "metadata.json": metadata(github.url) });
    server = await place.serve(["town.db", "-m", "metadata.json"], { GITHUB_SECRET: "hushed" });
  });
  after(async () => {
    await server.stop();
    await github.close();
  });

  const signedIn = async (login: string): Promise<Browser> => {
    github.account = { id: 1, login };
    const browser = new Browser(server.url);
    await browser.follow("/-/github-sign-in");
    return browser;
  };

  it("are all found", async () => {
    const { stdout } = await place.run(["plugins"]);

    const names = (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names).to.deep.equal([
      "auth-github",
      "edit-schema",
      "geojson",
      "isbn-links",
      "profile-columns",
      "row-links",
      "row-owners",
      "selection-sums",
    ]);
    expect(said).to.include("Installed rowhouse-plugin-row-owners 0.1.0: read_scope, startup");
  });

  it("auth-github signs people in", async () => {
    const browser = await signedIn("mona");

    expect((await browser.json("/-/actor.json")).actor).to.include({ id: "github:1", gh_login: "mona" });
  });

  it("row-owners shows people their rows, on every path", async () => {
    const mona = await signedIn("mona");
    const lisa = await signedIn("lisa");

    for (const path of [
      "/town/shops",
      "/town/shops.json",
      "/town/shops.csv?_stream=1",
      "/town/shops.geojson",
    ]) {
      expect(await mona.text(path), path)
        .to.include("Bookshop")
        .and.not.to.match(/Whispered|4242|takings/);
    }
    expect((await mona.get("/town/shops/2")).status).to.equal(404);
    expect((await mona.get("/town.json?sql=select+takings+from+shops")).status).to.equal(403);
    expect(
      (await lisa.json("/town/shops.json?_shape=array")).map(({ takings }: { takings: number }) => takings),
    ).to.deep.equal([4242, 1]);
    expect((await new Browser(server.url).json("/town/shops.json?_shape=array")).length).to.equal(0);
  });

  it("geojson serves a table", async () => {
    const { features } = await (await signedIn("mona")).json("/town/shops.geojson?_stream=1");

    expect(features).to.deep.equal([
      {
        type: "Feature",
        geometry: { type: "Point", coordinates: [-2.36, 51.38] },
        properties: { id: 1, keeper: "mona", name: "Bookshop", isbn: "978-0-14-143958-7" },
      },
    ]);
  });

  it("profile-columns brings a page with its own style sheet, and counts what its visitor sees", async () => {
    const mona = await signedIn("mona");
    const page = await mona.text("/town/shops/-/profile");
    const sheet = /href="([^"]*profile\.css[^"]*)"/.exec(page)?.[1] ?? "";

    expect(await mona.text("/town/shops")).to.include('href="/town/shops/-/profile"');
    expect((await mona.get(sheet)).headers.get("content-type")).to.include("text/css");
    expect(await mona.json("/town/shops/-/profile.json")).to.include({ count: 1 });
    expect(page).not.to.match(/Whispered|takings/);
  });

  it("row-links asks isbn-links", async () => {
    const page = await (await signedIn("mona")).text("/town/shops/1");

    expect(page).to.include('href="https://openlibrary.org/isbn/9780141439587"');
  });

  it("selection-sums brings its script", async () => {
    const mona = await signedIn("mona");
    const script =
      /src="([^"]*selection-sums\/app\.js[^"]*)"/.exec(await mona.text("/town/shops"))?.[1] ?? "";

    expect(await mona.text(script)).to.include("rowhouse.slots");
  });

  it("edit-schema changes a table for those who hold its permission", async () => {
    const lisa = await signedIn("lisa");
    const mona = await signedIn("mona");
    const path = "/town/shops/-/edit-schema";

    expect((await mona.get(path)).status).to.equal(403);
    expect((await mona.submit(path, { operation: "add", name: "x", type: "text" })).status).to.equal(403);
    const reply = await lisa.submit(path, { operation: "add", name: "opened", type: "integer" });

    expect([reply.status, reply.headers.get("location")]).to.deep.equal([303, path]);
    expect(await lisa.text(path)).to.include("opened was added");
    expect((await lisa.json("/town/shops.json")).columns)
      .to.include("opened")
      .and.not.to.include("x");
  });
});
