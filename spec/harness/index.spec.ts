import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { definePlugin, reply } from "rowhouse/plugin-api";
import { failure } from "./failures.js";
import { rowhouseFor } from "./index.js";

describe("rowhouseFor", () => {
  it("serves the tables of the spec over HTTP", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });

    const { status, json } = await rowhouse.get("/library/books.json?_shape=array");

    expect(status).to.equal(200);
    expect(json).to.deep.equal([{ id: 1, title: "Emma" }]);
  });

  it("reads the rows of the file without the server", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });

    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("update books set title = 'Persuasion'"));

    expect(await rowhouse.rows("books")).to.deep.equal([{ id: 1, title: "Persuasion" }]);
  });

  it("leaves no files behind if the start fails", async () => {
    const name = randomUUID();
    const plugin = definePlugin({ name: "failing", startup: () => Promise.reject(new Error("No shelf")) });

    const refused = await failure(rowhouseFor({ databases: { [name]: "" }, plugins: [plugin] }));

    expect(refused.message).to.include("No shelf");
    const folders = readdirSync(tmpdir()).map((folder) => join(tmpdir(), folder));
    expect(folders.filter((folder) => existsSync(join(folder, `${name}.db`)))).to.deep.equal([]);
  });

  it("sends requests as the given actor", async () => {
    const rowhouse = await rowhouseFor();

    const anonymous = await rowhouse.get("/-/actor.json");
    const ann = await rowhouse.get("/-/actor.json", { as: "ann" });
    const crew = await rowhouse.get("/-/actor.json", { as: { id: "bo", group: "crew" } });
    const token = await rowhouse.rowhouse.service("tokens").createToken("cy");
    const cy = await rowhouse.get("/-/actor.json", { token });

    expect(anonymous.json).to.deep.equal({ actor: null });
    expect(ann.json).to.deep.equal({ actor: { id: "ann" } });
    expect(crew.json).to.deep.equal({ actor: { id: "bo", group: "crew" } });
    expect(cy.json.actor.id).to.equal("cy");
  });

  it("takes further databases, immutable ones, views, scripts and metadata", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: "id integer primary key, title text" },
      views: { titles: "select title from books" },
      sql: "insert into books (title) values ('Emma')",
      databases: { maps: "create table maps (sheet text)" },
      immutable: ["maps"],
      metadata: { title: "Shelves" },
    });

    const databases = await rowhouse.get("/-/databases.json");
    const titles = await rowhouse.get("/library/titles.json?_shape=arrayfirst");
    const metadata = await rowhouse.get("/-/metadata.json");

    expect(
      databases.json.map((one: { name: string; is_mutable: boolean }) => [one.name, one.is_mutable]),
    ).to.deep.equal([
      ["library", true],
      ["maps", false],
    ]);
    expect(titles.json).to.deep.equal(["Emma"]);
    expect(metadata.json.title).to.equal("Shelves");
  });

  it("loads the plugins of the spec, and leaves out bundled ones by name", async () => {
    const greeting = definePlugin({
      name: "greeting",
      register_routes: () => [
        { name: "greeting", path: "/-/greeting", target: "instance", view: () => reply.text("hello") },
      ],
    });
    const rowhouse = await rowhouseFor({ plugins: [greeting], without: ["introspection"] });

    expect((await rowhouse.get("/-/greeting")).text).to.equal("hello");
    expect((await rowhouse.get("/-/settings.json")).status).to.equal(404);
  });

  it("runs two servers with different data at the same time", async () => {
    const [one, two] = await Promise.all([
      rowhouseFor({ tables: { a: [{ id: 1 }] } }),
      rowhouseFor({ tables: { b: [{ id: 1 }] } }),
    ]);

    expect((await one.get("/library/b.json")).status).to.equal(404);
    expect((await two.get("/library/b.json")).status).to.equal(200);
  });
});
