import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Actor, Plugin } from "rowhouse/plugin-api";
import { rowhouseFor, type RequestOptions, type TestReply, type TestRowhouse } from "rowhouse/testing";
import { readExample, type Trial } from "../../build/reference/example.js";
import { hookTable } from "../../build/reference/hook-table.js";
import { hooksPage } from "../../build/reference/page.js";
import { workplace } from "../cli/command.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const script = readFileSync(join(ROOT, "docs/library.sql"), "utf8");
const hooks = hookTable(ROOT);
const compiled = (hook: string): string => join(ROOT, `dist/docs/hooks/${hook}.js`);

describe("docs/hooks.md", () => {
  it("matches the types and docstrings (npm run docs makes it)", async () => {
    const page = readFileSync(join(ROOT, "docs/hooks.md"), "utf8");

    expect(page).to.equal(await hooksPage(ROOT, hooks));
  });

  it("has words for every hook", () => {
    expect(hooks.filter(({ doc }) => doc === "").map(({ name }) => name)).to.deep.equal([]);
  });

  describe("its example of", () => {
    const place = workplace();

    for (const { name } of hooks) {
      it(`${name} does what it says`, async () => {
        const { trials } = readExample(ROOT, name);
        const { default: plugin } = (await import(pathToFileURL(compiled(name)).href)) as { default: Plugin };
        const rowhouse = await rowhouseFor({
          sql: script,
          plugins: [plugin],
          settings: { template_debug: true },
        });

        expect(trials).to.not.deep.equal([]);
        expect(plugin).to.have.property(name);
        for (const trial of trials) await attempt(trial, name, rowhouse);
      });
    }

    async function attempt({ request, shows }: Trial, name: string, rowhouse: TestRowhouse): Promise<void> {
      if (request?.startsWith("rowhouse ") === true) {
        place.write({ ".rowhouserc.json": { plugins: [compiled(name)] } });
        const { stdout } = await place.run(request.split(" ").slice(1));
        return expectShown(shows, { text: stdout, status: 0, headers: {} }, []);
      }
      const reply = request === null ? await closed(rowhouse) : await asked(rowhouse, request);
      expectShown(shows, reply, rowhouse.logged);
    }
  });
});

type Seen = Pick<TestReply, "text" | "status" | "headers">;

async function closed(rowhouse: TestRowhouse): Promise<Seen> {
  await rowhouse.close();
  return { text: "", status: 0, headers: {} };
}

/** `GET /path as ann with {"a": 1}` */
function asked(rowhouse: TestRowhouse, line: string): Promise<TestReply> {
  const [, method = "", path = "", as, content] =
    /^(\S+) (\S+)(?: as (.*?))?(?: with (.*))?$/.exec(line) ?? [];
  return rowhouse.request(method, path, { ...(as !== undefined && { as: actor(as) }), ...sent(content) });
}

const actor = (text: string): Actor | string => (text.startsWith("{") ? (JSON.parse(text) as Actor) : text);

function sent(content: string | undefined): RequestOptions {
  if (content === undefined) return {};
  const [, name, value = ""] = /^header (\S+): (.*)$/.exec(content) ?? [];
  if (name !== undefined) return { headers: { [name]: value } };
  const text = /^text: (.*)$/.exec(content)?.[1];
  return text === undefined ? { json: JSON.parse(content) as unknown } : { body: text };
}

function expectShown(shows: readonly string[], reply: Seen, logged: readonly string[]): void {
  for (const line of shows) {
    const [, label, text = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (label === "Status") expect(String(reply.status)).to.equal(text);
    else if (label === "Log") expect(logged).to.include(text);
    else if (label === "Says") expect(reply.text).to.include(text);
    else {
      const [, name = "", value] = /^(\S+): (.*)$/.exec(text) ?? [];
      expect(reply.headers[name]).to.equal(value);
    }
  }
}
