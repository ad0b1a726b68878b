import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { filesIn, machineWith, type Answers } from "./fake-tools.js";
import { startApplication } from "./site.js";

const SECRET = "a secret for signing, that is long enough";
const HEROKU = {
  plugins: "heroku-builds 0.0.29\n",
  "apps --json": '[{"name": "mine"}]',
  "apps:create --json": '{"name": "quiet-river-1"}',
  "apps:create new --json": '{"name": "new"}',
};

describe("rowhouse publish heroku", () => {
  const place = workplace();
  before(() => place.database("data.db"));

  const published = async (words: readonly string[], answers: Answers = HEROKU) => {
    const machine = machineWith(place, { heroku: answers });
    const ended = await place.call(["publish", "heroku", "data.db", ...words], machine.environment);
    const calls = machine.calls();
    return { ...ended, calls, said: calls.map(({ words: all }) => all.join(" ")) };
  };

  it("builds in an application that is there", async () => {
    const { code, said, calls } = await published(["-n", "mine", "--secret", SECRET, "--tar", "/bin/a tar"]);

    expect(code).to.equal(0);
    expect(said).to.deep.equal([
      "plugins",
      "apps --json",
      `config:set --app mine ROWHOUSE_SECRET=${SECRET}`,
      "builds:create --app mine --include-vcs-ignore --tar /bin/a tar",
    ]);
    expect(calls[3]?.words.at(-1)).to.equal("/bin/a tar");
    expect([...filesIn(calls[3]?.folder ?? "").keys()]).to.have.members([
      "Procfile",
      "databases/data.db",
      "package.json",
    ]);
  });

  it("makes an application that is not there, or one with a name of Heroku's", async () => {
    const [named, unnamed] = await Promise.all([published(["-n", "new"]), published([])]);

    expect(named.said).to.include("apps:create new --json");
    expect(named.said.at(-1)).to.equal("builds:create --app new --include-vcs-ignore");
    expect(unnamed.said).to.include("apps:create --json");
    expect(unnamed.said.at(-1)).to.equal("builds:create --app quiet-river-1 --include-vcs-ignore");
  });

  it("sets secrets without showing them in arguments if the plugin for the API is installed", async () => {
    const answers = {
      ...HEROKU,
      plugins: "heroku-builds 0.0.29\napi 2.2.0\n",
      api: `{"SHOWN": "${SECRET}"}`,
    };
    const words = ["-n", "mine", "--secret", SECRET, "--plugin-secret", "x", "key", "value"];
    const { calls, said, stdout, stderr } = await published(words, answers);

    expect(said).to.include("api PATCH /apps/mine/config-vars");
    expect(JSON.parse(calls[2]?.input ?? "")).to.deep.equal({ ROWHOUSE_SECRET: SECRET, X_KEY: "value" });
    expect(said.filter((line) => line.includes(SECRET))).to.deep.equal([]);
    expect(stdout + stderr).to.not.include(SECRET);
  });

  it("leaves the secret as it is that an application has, where none is given", async () => {
    const keeps = await published(["-n", "mine"], { ...HEROKU, "config:get": "the old one\n" });
    const begins = await published(["-n", "mine"], { ...HEROKU, "config:get": "\n" });

    expect(keeps.said.filter((line) => line.startsWith("config:set"))).to.deep.equal([]);
    expect(begins.said.find((line) => line.startsWith("config:set"))).to.match(
      /ROWHOUSE_SECRET=[0-9a-f]{64}$/,
    );
  });

  it("asks for the plugin that it can't do without", async () => {
    const { code, stderr, said } = await published([], { ...HEROKU, plugins: "No plugins installed.\n" });

    expect(stderr).to.equal(
      "Error: Publishing to Heroku requires its plugin: heroku plugins:install heroku-builds\n",
    );
    expect(code).to.equal(1);
    expect(said).to.deep.equal(["plugins"]);
  });

  it("writes the files with --generate-dir and stops; they serve the site, and hold no secret", async () => {
    const words = ["--generate-dir", "out/site", "--title", "It's mine", "--version-note", `it's "$HOME"`];
    const { code, calls, stderr } = await published([...words, "--secret", SECRET]);
    const folder = join(place.folder, "out/site");
    const texts = [...filesIn(folder).values()];
    const site = await startApplication(folder, { ROWHOUSE_SECRET: SECRET });

    try {
      const [versions, databases, settings] = await Promise.all(
        ["versions", "databases", "settings"].map((page) => site.get(`/-/${page}.json`)),
      );

      expect({ code, calls: calls.length }).to.deep.equal({ code: 0, calls: 0 });
      expect(stderr).to.include("ROWHOUSE_SECRET");
      expect(texts.filter((text) => text.includes(SECRET))).to.deep.equal([]);
      expect(versions?.json).to.have.nested.property("rowhouse.note", `it's "$HOME"`);
      expect([databases?.json].flat()[0]).to.include({ name: "data", is_mutable: false });
      expect(settings?.json).to.include({ force_https_urls: true });
    } finally {
      await site.stop();
    }
  });

  it("writes to no folder that contains files", async () => {
    place.write({ "full/precious.txt": "mine" });

    const { code, stderr } = await published(["--generate-dir", "full"]);

    expect(stderr).to.match(/^Error: .*full has something in it already\n$/);
    expect(code).to.equal(1);
    expect(readdirSync(join(place.folder, "full"))).to.deep.equal(["precious.txt"]);
  });

  it("asks for the version of Node that runs the command", async () => {
    await published(["--generate-dir", "versioned"]);

    const manifest = JSON.parse(filesIn(join(place.folder, "versioned")).get("package.json") ?? "") as object;
    expect(manifest).to.have.deep.property("engines", { node: `${process.versions.node.split(".")[0]}.x` });
  });

  it("takes what begins with a dash for the value of --extra-options", async () => {
    const { code } = await published(["--generate-dir", "dashed", "--extra-options", "--crossdb"]);

    expect(code).to.equal(0);
    expect(filesIn(join(place.folder, "dashed")).get("Procfile")).to.match(/ --crossdb\n$/);
  });
});
