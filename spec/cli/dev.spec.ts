import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { workplace, type Serving } from "./command.js";

/** Which start of the server this is, as a page is told over its open connection. */
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

/** Makes a change and waits for the next start, at the same address. */
async function restarted({ url }: Serving, change: () => void): Promise<void> {
  const before = await boot(url);
  expect(before).to.be.a("string");
  change();
  for (let waited = 0; waited < 15_000; waited += 100) {
    const now = await boot(url);
    if (now !== null && now !== before) return;
    await sleep(100);
  }
  throw new Error("It did not start again");
}

const greeting = (words: string): string =>
  `export default { menu_links: () => [{ href: "/hello", label: ${JSON.stringify(words)} }] };`;

const page = async ({ url }: Serving, path = "/"): Promise<string> => (await fetch(url + path)).text();

describe("rowhouse dev", function () {
  this.timeout(90_000);
  const place = workplace();

  it("starts again at each change and has pages load themselves again", async () => {
    await place.database("a.db");
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

    await restarted(server, () => place.write({ "plugins/greeting.mjs": greeting("After") }));
    expect(await page(server)).to.include("After");
    await restarted(server, () => place.write({ "linked/lib/words.mjs": greeting("Linked after") }));
    expect(await page(server)).to.include("Linked after");
    await restarted(server, () => place.write({ "templates/_footer.html": "<p>Footer after</p>" }));
    expect(await page(server)).to.include("Footer after");
    await restarted(server, () => place.write({ "about.yaml": "title: Title after" }));
    expect(await page(server)).to.include("Title after");
    await restarted(server, () => place.write({ "rowhouse.yaml": "files: [a.db]\nplugins: [./linked]" }));
    expect(await page(server, "/-/settings.json")).to.include('"default_page_size": 100');

    expect((await server.stop()).code).to.equal(0);
  });

  it("waits for the next change where one was a mistake", async () => {
    place.write({ "plugins/greeting.mjs": greeting("Good") });
    const server = await place.serve(["dev", "a.db", "--no-config", "--plugins-dir", "plugins"]);

    place.write({ "plugins/greeting.mjs": "export default {" });
    while (!server.said().includes("could not be loaded")) await sleep(100);
    place.write({ "plugins/greeting.mjs": greeting("Better") });
    while ((await boot(server.url)) === null) await sleep(100);

    expect(await page(server)).to.include("Better");
    await server.stop();
  });

  it("adds nothing to pages without it", async () => {
    const { stdout } = await place.run(["a.db", "--no-config", "--get", "/"]);

    expect(stdout).not.to.include("/-/dev/");
  });
});
