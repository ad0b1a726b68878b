import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { filesIn, machineWith, type Call, type Machine } from "./fake-tools.js";
import { buildImage, instruction, startImage, type Site } from "./site.js";

const { version } = createRequire(import.meta.url)("rowhouse/package.json") as { readonly version: string };
const SECRET = "a secret of at least thirty-two characters";

describe("rowhouse package", () => {
  const place = workplace();
  let machine: Machine;

  before(async () => {
    machine = machineWith(place, { docker: {} });
    await place.database("data.db");
    await place.database("more/data.db", "create table other (id integer primary key)");
    place.write({
      "metadata.yaml": "title: From the file\nlicense: CC BY\n",
      "templates/page.html": "<p>page</p>",
      "plugins/hello.mjs": `export default { register_routes: () => ({
        name: "hello", path: "/-/hello", target: "instance",
        view: async ({ rowhouse }) => ({ status: 200, headers: {}, body: JSON.stringify(await rowhouse.pluginConfig("hello")) }),
      }) };`,
      "files/note.txt": "a note",
    });
  });

  const packaged = async (words: readonly string[], environment = {}) => {
    const ended = await place.call(["package", ...words], { ...machine.environment, ...environment });
    const [call] = machine.calls();
    return { ...ended, call: call as Call & { readonly folder: string } };
  };

  describe("with everything", () => {
    let site: Site;
    let call: Call & { readonly folder: string };
    let stdout = "";

    before(async () => {
      const words = ["data.db", "more/data.db", "-m", "metadata.yaml", "--title", `It's "so" $HOME`];
      const content = ["--template-dir", "templates", "--plugins-dir", "plugins", "--static", "a-b:files"];
      const server = [
        "--extra-options",
        "--setting default_page_size 7",
        "--version-note",
        "the 'note' $(x)",
      ];
      const image = ["-t", "name with blanks", "-p", "9000", "--secret", SECRET];
      ({ call, stdout } = await packaged([...words, ...content, ...server, ...image]));
      await buildImage(call.folder);
      miscount(join(call.folder, "inspect-data.json"));
      site = await startImage(call.folder, { ROWHOUSE_SECRET: SECRET });
    });
    after(() => site?.stop());

    it("hands docker the folder and the tag, as they are", () => {
      expect(call.words.slice(0, 3)).to.deep.equal(["build", "--tag", "name with blanks"]);
      expect(call.words).to.have.length(4);
    });

    it("builds on the version of Node that runs the command", () => {
      const [from] = readFileSync(join(call.folder, "Dockerfile"), "utf8").split("\n");

      expect(from).to.equal(`FROM node:${process.versions.node.split(".")[0]}-slim`);
    });

    it("serves the files as immutable, each under a name of its own", async () => {
      const { json } = await site.get("/-/databases.json");
      const shown = (json as readonly { name: string; is_mutable: boolean; hash: string }[]).map(
        ({ name, is_mutable, hash }) => ({ name, is_mutable, hash: hash.length }),
      );

      expect(shown).to.deep.equal([
        { name: "data", is_mutable: false, hash: 64 },
        { name: "data_2", is_mutable: false, hash: 64 },
      ]);
    });

    it("takes the numbers of rows from when the image was built", async () => {
      const { json } = await site.get("/data/t.json?_extra=count&_size=1");

      expect(json).to.have.property("count", 2 + MISCOUNTED);
    });

    it("lets scripts of other sites read", async () => {
      const { headers } = await site.get("/data/t.json");

      expect(headers.get("access-control-allow-origin")).to.equal("*");
    });

    it("has the metadata of the file, overridden by options", async () => {
      const { json } = await site.get("/-/metadata.json");

      expect(json).to.deep.equal({ title: `It's "so" $HOME`, license: "CC BY" });
    });

    it("has plugins, static files, further options and the note, whatever characters are in them", async () => {
      const [hello, note, rows, versions] = await Promise.all([
        site.get("/-/hello"),
        site.get("/a-b/note.txt"),
        site.get("/-/settings.json"),
        site.get("/-/versions.json"),
      ]);

      expect(hello.status).to.equal(200);
      expect(note.json).to.equal("a note");
      expect(rows.json).to.include({ default_page_size: 7 });
      expect(versions.json).to.have.nested.property("rowhouse.note", "the 'note' $(x)");
    });

    it("depends on this Rowhouse, and listens on the given port", () => {
      const files = filesIn(call.folder);

      expect(JSON.parse(files.get("package.json") ?? "")).to.have.nested.property(
        "dependencies.rowhouse",
        version,
      );
      expect(files.get("Dockerfile")).to.include("PORT=9000").and.include("EXPOSE 9000");
      expect(files.get("templates/page.html")).to.equal("<p>page</p>");
    });

    it("has the secret in no file, and neither repeats it", () => {
      expect([...filesIn(call.folder)].filter(([, text]) => text.includes(SECRET))).to.deep.equal([]);
      expect(stdout).to.include("docker run -p 9000:9000 -e ROWHOUSE_SECRET 'name with blanks'");
      expect(stdout).to.not.include(SECRET);
    });
  });

  it("makes a secret if none is given, and shows it once, outside the image", async () => {
    const { stdout, stderr, call, code } = await packaged(["data.db"]);
    const [, secret = ""] = /-e ROWHOUSE_SECRET=(\S+)/.exec(stdout) ?? [];

    expect(code).to.equal(0);
    expect(secret).to.match(/^[0-9a-f]{64}$/);
    expect((stdout + stderr).split(secret)).to.have.length(2);
    expect([...filesIn(call.folder)].filter(([, text]) => text.includes(secret))).to.deep.equal([]);
  });

  it("takes the secret from ROWHOUSE_PUBLISH_SECRET", async () => {
    const { stdout, call } = await packaged(["data.db"], { ROWHOUSE_PUBLISH_SECRET: SECRET });

    expect(stdout).to.include("-e ROWHOUSE_SECRET IMAGE");
    expect([...filesIn(call.folder)].filter(([, text]) => text.includes(SECRET))).to.deep.equal([]);
  });

  it("depends on the packages that are to be installed, and takes packed ones along", async () => {
    place.write({ "rowhouse-plugin-mine-1.0.0.tgz": "packed" });
    const plugins = ["rowhouse-plugin-a", "@me/rowhouse-plugin-b@^2.1.0"];
    const mine = "rowhouse-plugin-mine@file:rowhouse-plugin-mine-1.0.0.tgz";
    const { call } = await packaged([
      "data.db",
      ...[...plugins, mine].flatMap((name) => ["--install", name]),
    ]);
    const files = filesIn(call.folder);

    expect(JSON.parse(files.get("package.json") ?? ""))
      .to.have.property("dependencies")
      .that.includes({
        "rowhouse-plugin-a": "latest",
        "@me/rowhouse-plugin-b": "^2.1.0",
        "rowhouse-plugin-mine": "file:packages/rowhouse-plugin-mine-1.0.0.tgz",
      });
    expect(files.get("packages/rowhouse-plugin-mine-1.0.0.tgz")).to.equal("packed");
  });

  it("installs SpatiaLite into the image, and loads it for counting and for serving", async () => {
    const { call } = await packaged(["data.db", "--spatialite"]);
    const dockerfile = filesIn(call.folder).get("Dockerfile");

    expect(dockerfile).to.include('"libsqlite3-mod-spatialite"');
    expect(instruction(call.folder, "RUN").join(" ")).to.include("--load-extension spatialite");
    expect(instruction(call.folder, "CMD")).to.include("--load-extension=spatialite");
  });

  it("takes each file once, whatever it is called", async () => {
    symlinkSync(join(place.folder, "data.db"), join(place.folder, "link.db"));
    const { call } = await packaged(["data.db", "./data.db", "link.db", "more/data.db"]);

    expect([...filesIn(call.folder).keys()].filter((path) => path.startsWith("databases/"))).to.have.members([
      "databases/data.db",
      "databases/data_2.db",
    ]);
  });

  it("takes files whose name begins with a dash for files", async () => {
    await place.database("-odd name.db");
    const { call } = await packaged(["--static", "x:files", "data.db", "--", "-odd name.db"]);

    expect(instruction(call.folder, "CMD")).to.include.members([
      "--immutable=databases/data.db",
      "--immutable=databases/-odd name.db",
      "--static=x:static/1",
    ]);
  });

  it("takes a branch of Rowhouse from the address it is given", async () => {
    const { call } = await packaged(["data.db", "--branch", "github:me/rowhouse#next"]);
    const files = filesIn(call.folder);

    expect(files.get("package.json")).to.include('"rowhouse": "github:me/rowhouse#next"');
    expect(files.get("Dockerfile")).to.include('"git"');
  });

  it("deletes its temporary files, and names the failed command", async () => {
    const failing = machineWith(place, { docker: { build: 3 } });
    const { code, stderr, stdout } = await place.call(["package", "data.db"], {
      ...failing.environment,
      TMPDIR: failing.environment["PATH"] ?? "",
    });
    const left = [...filesIn(failing.environment["PATH"] ?? "").keys()];

    expect(code).to.equal(1);
    expect(stderr).to.equal("Error: docker build failed (3)\n");
    expect(stdout).to.equal("");
    expect(left.filter((path) => path.startsWith("rowhouse-publish-"))).to.deep.equal([]);
  });
});

/** Only who reads the file will tell this number. */
const MISCOUNTED = 75;

function miscount(path: string): void {
  const inspected = JSON.parse(readFileSync(path, "utf8")) as { data: { tables: { t: { count: number } } } };
  inspected.data.tables.t.count += MISCOUNTED;
  writeFileSync(path, JSON.stringify(inspected));
}
