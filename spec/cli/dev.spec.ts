import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { until } from "../harness/until.js";
import { workplace, type Serving } from "./command.js";

/** The number of this start, which pages receive over their open connection. */
async function boot(url: string): Promise<string | null> {
  const gone = new AbortController();
  try {
    const reply = await fetch(`${url}/-/dev/events`, { signal: gone.signal });
    const { value } = (await reply.body?.getReader().read()) ?? {};
    return /^event: boot\ndata: (.+)$/m.exec(new TextDecoder().decode(value))?.[1] ?? null;
  } catch {
    return null;
  } finally {
    gone.abort();
  }
}

/**
 * Makes a change and waits for a start after it, at the same address, that shows it. There may be more starts
 * than one: a file is empty for a moment before it is written.
 */
async function changing(server: Serving, change: () => void, path: string, shown: string): Promise<void> {
  let before: string | null = null;
  await until(async () => (before = await boot(server.url)) !== null);
  change();
  await until(async () => {
    const now = await boot(server.url);
    return now !== null && now !== before && (await page(server, path)).includes(shown);
  });
}

const greeting = (words: string): string =>
  `export default { menu_links: () => [{ href: "/hello", label: ${JSON.stringify(words)} }] };`;

/** Nothing while there is no server. */
async function page({ url }: Serving, path = "/"): Promise<string> {
  try {
    return await (await fetch(url + path)).text();
  } catch {
    return "";
  }
}

describe("rowhouse dev", function () {
  // Six starts, one after the other.
  this.timeout(300_000);
  const place = workplace();

  before(() => place.database("a.db"));

  it("starts again at each change and has pages load themselves again", async () => {
    place.write({
      "plugins/greeting.mjs": greeting("Before"),
      "templates/_footer.html": "<p>Footer before</p>",
      "about.yaml": "title: Title before",
      "linked/package.json": { name: "rowhouse-plugin-linked", main: "lib/main.mjs" },
      "linked/lib/main.mjs": "export { default } from './words.mjs';",
      "linked/lib/words.mjs": greeting("Linked before"),
      "rowhouse.yaml": [
        "files: [a.db]",
        "metadata: about.yaml",
        "pluginsDir: plugins",
        "templateDir: templates",
        "plugins: [./linked]",
        "settings: { default_page_size: 3 }",
      ].join("\n"),
    });
    const server = await place.serve(["dev"]);

    const first = await page(server);
    expect(first).to.include("/-/dev/refresh.js").and.include("Before").and.include("Linked before");

    const shows = (shown: string, files: Readonly<Record<string, string>>, path = "/"): Promise<void> =>
      changing(server, () => place.write(files), path, shown);
    await shows("After", { "plugins/greeting.mjs": greeting("After") });
    await shows("Linked after", { "linked/lib/words.mjs": greeting("Linked after") });
    await shows("Footer after", { "templates/_footer.html": "<p>Footer after</p>" });
    await shows("Title after", { "about.yaml": "title: Title after" });
    const last = { "rowhouse.yaml": "files: [a.db]\nplugins: [./linked]" };
    await shows('"default_page_size": 100', last, "/-/settings.json");

    expect((await server.stop()).code).to.equal(0);
  });

  it("waits for the next change where one was a mistake", async () => {
    place.write({ "plugins/greeting.mjs": greeting("Good") });
    const server = await place.serve(["dev", "a.db", "--no-config", "--plugins-dir", "plugins"]);

    place.write({ "plugins/greeting.mjs": "export default {" });
    await until(() => server.said().includes("could not be loaded"));
    place.write({ "plugins/greeting.mjs": greeting("Better") });
    await until(async () => (await page(server)).includes("Better"));

    await server.stop();
  });

  it("starts again after a plugin was in an endless loop", async () => {
    const loop = `export default {
      register_routes: () => ({ name: "loop", path: "/-/loop", view() { console.error("It loops"); for (;;); } }) };`;
    place.write({ "loops/loop.mjs": loop });
    const server = await place.serve(["dev", "a.db", "--no-config", "--plugins-dir", "loops"]);
    const stuck = page(server, "/-/loop");
    await until(() => server.said().includes("It loops"));

    place.write({ "loops/loop.mjs": greeting("Mended") });

    await until(async () => (await page(server)).includes("Mended"));
    await stuck;
    expect((await server.stop()).code).to.equal(0);
  });

  it("keeps the page up, with what keeps the server from starting", async () => {
    place.write({
      "plugins/greeting.mjs": greeting("Good"),
      "up.yaml": "files: [a.db]\npluginsDir: plugins\nsettings: { default_page_size: 3 }",
    });
    const server = await place.serve(["dev", "-c", "up.yaml"]);
    const good = await boot(server.url);
    const errorPage = async (): Promise<string> => {
      const reply = await fetch(server.url, { headers: { accept: "text/html" } }).catch(() => null);
      return reply?.status === 500 ? reply.text() : "";
    };

    place.write({ "plugins/greeting.mjs": "\nthrow new Error('<b>no luck</b>');" });
    await until(async () => (await errorPage()).includes("&lt;b&gt;no luck&lt;/b&gt;"));
    const broken = await boot(server.url);
    expect(await errorPage())
      .to.include("plugins/greeting.mjs:2")
      .and.include("location.reload()")
      .and.not.include("<b>");
    expect(broken).to.be.a("string").and.not.equal(good);

    place.write({ "up.yaml": "files: [" });
    await until(async () => (await errorPage()).includes("up.yaml"));

    place.write({
      "plugins/greeting.mjs": greeting("Mended"),
      "up.yaml": "files: [a.db]\npluginsDir: plugins",
    });
    await until(async () => (await page(server)).includes("Mended"));
    expect(await boot(server.url))
      .to.be.a("string")
      .and.not.equal(broken);
    expect((await server.stop()).code).to.equal(0);
  });

  it("watches files that the configuration names later, and folders that are made again", async () => {
    place.write({ "later.yaml": "files: [a.db]" });
    const server = await place.serve(["dev", "-c", "later.yaml"]);
    const shows = (shown: string, files: Readonly<Record<string, string>>): Promise<void> =>
      changing(server, () => place.write(files), "/", shown);

    await shows("Named", {
      "named.yaml": "title: Named",
      "own/_footer.html": "Footer",
      "later.yaml": "files: [a.db]\nmetadata: named.yaml\ntemplateDir: own",
    });
    await shows("Changed", { "named.yaml": "title: Changed" });
    rmSync(join(place.folder, "own"), { recursive: true });
    await until(() => server.said().includes("Directory 'own' does not exist"));
    await shows("Footer again", { "own/_footer.html": "Footer again" });

    expect((await server.stop()).code).to.equal(0);
  });

  it("starts again after SIGHUP, and ends with its server", async () => {
    const server = await place.serve(["dev", "a.db", "--no-config"]);

    await changing(server, () => server.process.kill("SIGHUP"), "/", "Rowhouse");

    expect((await server.stop()).code).to.equal(0);
    expect(await boot(server.url)).to.equal(null);
  });

  for (const [what, files] of [
    ["its server", "files: [a.db]"],
    ["the page with the error", "files: ["],
  ] as const) {
    it(`ends ${what} also if it is killed`, async () => {
      place.write({ "killed.yaml": "files: [a.db]" });
      const server = await place.serve(["dev", "-c", "killed.yaml"]);
      const first = await boot(server.url);
      if (files !== "files: [a.db]") {
        place.write({ "killed.yaml": files });
        await until(async () => ![null, first].includes(await boot(server.url)));
      }

      server.process.kill("SIGKILL");

      await until(async () => (await boot(server.url)) === null);
    });
  }

  it("adds nothing to pages without it", async () => {
    const { stdout } = await place.run(["a.db", "--no-config", "--get", "/"]);

    expect(stdout).not.to.include("/-/dev/");
  });
});
