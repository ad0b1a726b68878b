import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { filesIn, machineWith } from "./fake-tools.js";
import { buildImage, startImage } from "./site.js";

const SECRET = "a secret for signing, that is long enough";
const KEY = `a "key" with $(blanks), commas and \\`;
const GCLOUD = { "config get-value project": "my-project\n" };

describe("rowhouse publish cloudrun", () => {
  const place = workplace();
  before(() => place.database("data.db"));

  const published = async (
    words: readonly string[],
    answers: Readonly<Record<string, string | number>> = GCLOUD,
  ) => {
    const machine = machineWith(place, { gcloud: answers });
    const ended = await place.call(["publish", "cloudrun", ...words], machine.environment);
    return { ...ended, calls: machine.calls() };
  };

  it("builds the image in the project, then deploys it as a service", async () => {
    const size = ["--memory", "1Gi", "--cpu", "2", "--max-instances", "3", "--min-instances", "0"];
    const words = ["data.db", "--service", "shop", "-n", "data", "--timeout", "900", ...size];
    const { code, calls } = await published(words);
    const [, build, deploy] = calls;

    expect(code).to.equal(0);
    expect(build?.words.slice(0, -1)).to.deep.equal(
      "builds submit --tag gcr.io/my-project/data --timeout 900".split(" "),
    );
    expect(deploy?.words.slice(0, -1)).to.deep.equal([
      ..."run deploy shop --image gcr.io/my-project/data".split(" "),
      ...size,
      ..."--allow-unauthenticated --platform managed --env-vars-file".split(" "),
    ]);
  });

  it("hands secrets over in a file of their owner's alone: in no word, no image, nothing that is printed", async () => {
    const secrets = ["--secret", SECRET, "--plugin-secret", "rowhouse-plugin-x", "api_key", KEY];
    const { calls, stdout, stderr } = await published([
      "data.db",
      "--service",
      "shop",
      "--show-files",
      ...secrets,
    ]);
    const file = calls[2]?.environmentFile;
    const folder = calls[1]?.folder ?? "";
    const elsewhere = [stdout, stderr, ...calls.flatMap(({ words }) => words), ...filesIn(folder).values()];

    expect(JSON.parse(file?.text ?? "")).to.deep.equal({
      ROWHOUSE_SECRET: SECRET,
      ROWHOUSE_PLUGIN_X_API_KEY: KEY,
    });
    expect(file?.mode).to.equal(0o600);
    expect(filesIn(folder).get("Dockerfile")).to.include("CMD");
    expect(elsewhere.filter((text) => text.includes(SECRET) || text.includes(KEY))).to.deep.equal([]);
  });

  it("makes a site with https links, whose plugins find their secrets", async () => {
    place.write({
      "plugins/vault.mjs": `export default { register_routes: () => ({
        name: "vault", path: "/-/vault", target: "instance",
        view: async ({ rowhouse }) => ({ status: 200, headers: {}, body: JSON.stringify(await rowhouse.pluginConfig("vault")) }),
      }), name: "vault" };`,
      "metadata.json": { plugins: { vault: { kept: true } } },
    });
    const words = ["data.db", "--service", "shop", "-m", "metadata.json", "--plugins-dir", "plugins"];
    const { calls } = await published([...words, "--plugin-secret", "vault", "key", KEY]);
    const environment = JSON.parse(calls[2]?.environmentFile?.text ?? "") as Record<string, string>;
    const folder = calls[1]?.folder ?? "";
    await buildImage(folder);
    const site = await startImage(folder, environment);

    try {
      const [vault, settings] = await Promise.all([site.get("/-/vault"), site.get("/-/settings.json")]);

      expect(vault.json).to.deep.equal({ kept: true, key: KEY });
      expect(settings.json).to.include({ force_https_urls: true });
    } finally {
      await site.stop();
    }
  });

  it("prints the generated files with --show-files", async () => {
    const words = ["data.db", "--service", "shop", "--title", "A title", "--show-files"];
    const { stdout } = await published([
      ...words,
      "--apt-get-install",
      "libfoo",
      "--apt-get-install",
      "libbar",
    ]);

    expect(stdout).to.include("=== Dockerfile ===").and.include('"libfoo","libbar"');
    expect(stdout).to.include("=== metadata.json ===").and.include('"title": "A title"');
    expect(stdout).to.include("=== package.json ===");
  });

  it("warns that a generated secret invalidates earlier tokens", async () => {
    const { stderr, calls } = await published(["data.db", "--service", "shop"]);

    expect(stderr).to.include("tokens and cookies of an earlier publication end");
    expect(JSON.parse(calls[2]?.environmentFile?.text ?? "").ROWHOUSE_SECRET).to.match(/^[0-9a-f]{64}$/);
  });

  it("deploys nothing that was not built", async () => {
    const { code, stderr, calls } = await published(["data.db", "--service", "shop"], {
      ...GCLOUD,
      builds: 1,
    });

    expect(stderr).to.match(/Error: gcloud builds submit failed \(1\)\n$/);
    expect(code).to.equal(1);
    expect(calls).to.have.length(2);
  });

  it("needs a project", async () => {
    const { code, stderr, calls } = await published(["data.db", "--service", "shop"], {});

    expect(stderr).to.match(/Error: gcloud has no project: gcloud config set project NAME\n$/);
    expect(code).to.equal(1);
    expect(calls).to.have.length(1);
  });
});
