import { expect } from "chai";
import { workplace } from "./command.js";

interface Listed {
  readonly name: string;
  readonly path: string;
}

describe("a configuration directory", () => {
  const place = workplace();

  before(async () => {
    place.write({
      "app/metadata.yaml": "title: My app",
      "app/settings.json": { default_page_size: 5, max_returned_rows: 50 },
      "app/static/hello.txt": "hello",
      "app/plugins/greeting.mjs": `export default {
        register_routes: () => [{ name: "hi", path: /^\\/-\\/hi$/, target: "instance",
          view: () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "hi" }) }] };`,
    });
    await place.database("app/first.db");
    await place.database("app/second.sqlite");
  });

  it("brings databases, metadata, settings, plugins and static files", async () => {
    const server = await place.serve(["app"]);
    const json = async (path: string) => (await fetch(server.url + path)).json();
    const text = async (path: string) => (await fetch(server.url + path)).text();

    expect(await json("/-/metadata.json")).to.deep.equal({ title: "My app" });
    expect(await json("/-/settings.json")).to.include({ default_page_size: 5, max_returned_rows: 50 });
    const databases = (await json("/-/databases.json")) as readonly Listed[];
    expect(databases.map(({ name, path }) => [name, path])).to.deep.equal([
      ["first", "app/first.db"],
      ["second", "app/second.sqlite"],
    ]);
    expect(await text("/static/hello.txt")).to.equal("hello");
    expect(await text("/-/hi")).to.equal("hi");
    await server.stop();
  });

  it("is weaker than flags, setting by setting", async () => {
    place.write({ "other.json": { title: "Other" } });

    const [settings, metadata] = await Promise.all([
      place.call(["app", "--setting", "default_page_size", "6", "--get", "/-/settings.json"]),
      place.call(["app", "-m", "other.json", "--get", "/-/metadata.json"]),
    ]);

    expect(JSON.parse(settings.stdout)).to.include({ default_page_size: 6, max_returned_rows: 50 });
    expect(JSON.parse(metadata.stdout)).to.deep.equal({ title: "Other" });
  });

  it("serves a file once that its configuration file and its inspect data name", async () => {
    await place.database("named/data.db");
    await place.database("named/more.db");
    place.write({ "named/.rowhouserc.yaml": "files: [data.db, more.db]" });
    await place.call(["inspect", "named/data.db", "--inspect-file", "named/inspect-data.json"]);

    const { stdout } = await place.call(["named", "--get", "/-/databases.json"]);
    const listed = JSON.parse(stdout) as readonly (Listed & { readonly is_mutable: boolean })[];

    expect(listed.map(({ name, is_mutable }) => [name, is_mutable])).to.deep.equal([
      ["more", true],
      ["data", false],
    ]);
  });

  it("opens the files its inspect data names as immutable", async () => {
    await place.database("counted/data.db");
    await place.call(["inspect", "counted/data.db", "--inspect-file", "counted/inspect-data.json"]);

    const { stdout } = await place.call(["counted", "--get", "/-/databases.json"]);

    expect(JSON.parse(stdout)).to.have.nested.property("[0].is_mutable", false);
  });

  it("does not serve the file of --internal", async () => {
    await place.database("own/books.db");
    await place.database("own/internal.db");
    place.write({ "own/rowhouse.yaml": "internal: internal.db" });

    const listed = await Promise.all([
      place.call(["own", "--get", "/-/databases.json"]),
      place.call(["own", "--no-config", "--internal", "own/internal.db", "--get", "/-/databases.json"]),
    ]);

    for (const { stdout } of listed)
      expect((JSON.parse(stdout) as readonly Listed[]).map(({ name }) => name)).to.deep.equal(["books"]);
  });
});
