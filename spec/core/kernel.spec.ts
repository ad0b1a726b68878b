import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { listen } from "rowhouse";
import { Forbidden, definePlugin, permissionChain, reply, type Plugin } from "rowhouse/plugin-api";
import { kernelWith, SECRET } from "../harness/bare-kernel.js";
import { failure } from "../harness/failures.js";
import { temporaryFolder } from "../harness/folders.js";
import { closeWhenDone } from "../harness/lifetimes.js";

describe("a kernel without a single plugin", () => {
  it("boots, serves, and answers 404 with an error document", async () => {
    const kernel = await kernelWith([]);
    const server = await listen(kernel, { port: 0 });
    closeWhenDone(server);

    const answer = await fetch(`${server.url}/anything/at/all.json`);

    expect(answer.status).to.equal(404);
    expect(answer.headers.get("content-type")).to.equal("application/json; charset=utf-8");
    expect(await answer.json()).to.deep.equal({ ok: false, error: "404", status: 404, title: null });
  });
});

describe("plugins", () => {
  it("may be a file that imports nothing", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "hello.mjs");
    await writeFile(
      file,
      'export default { name: "hello", register_routes: () => [{ name: "hello", path: "/-/hello/:who", ' +
        "view: ({ params }) => ({ status: 200, headers: {}, body: `Hello ${params.who}` }) }] };",
    );
    const { default: hello } = (await import(pathToFileURL(file).href)) as { default: Plugin };

    const kernel = await kernelWith([hello]);

    expect((await kernel.fetch("/-/hello/b~C3~A9a")).body).to.equal("Hello béa");
  });

  it("stop the start if two have one name, tap an unknown hook, or were made for another API", async () => {
    const one = definePlugin({ name: "one" });

    expect((await failure(kernelWith([one, one]))).message).to.equal("Two plugins are named one");
    expect(
      (await failure(kernelWith([{ name: "odd", no_such_hook: () => null } as Plugin]))).message,
    ).to.equal("Plugin odd taps an unknown hook: no_such_hook");
    expect((await failure(kernelWith([definePlugin({ name: "new", apiVersion: 2 })]))).message).to.match(
      /^Plugin new was made for plugin API version 2/,
    );
  });

  it("may fail without stopping the server", async () => {
    const broken = definePlugin({
      name: "broken",
      register_routes: () => [
        {
          name: "boom",
          path: "/-/boom",
          target: "instance",
          view: () => {
            throw new Error("no luck");
          },
        },
      ],
      actor_from_request: (_rowhouse, { request }) => {
        if (request.path === "/-/who") throw new Error("who knows");
      },
    });
    const logged: string[] = [];
    const log = { info: () => {}, warn: () => {}, error: (message: string) => void logged.push(message) };
    const kernel = await kernelWith([broken], { log });

    const answers = [await kernel.fetch("/-/boom"), await kernel.fetch("/-/who"), await kernel.fetch("/x")];

    expect(answers.map(({ status }) => status)).to.deep.equal([500, 500, 404]);
    expect(logged[1]).to.match(/^GET \/-\/who: who knows \(error id [0-9a-f]{12}\)$/);
    expect(String(answers[1]?.body)).not.to.include("who knows");
  });
});

const ending = (ended: string[], more: Partial<Plugin> = {}): Plugin =>
  definePlugin({ name: "ending", shutdown: () => void ended.push("shutdown"), ...more });
const failing = (): never => {
  throw new Error("no luck");
};

describe("the end of a kernel", () => {
  it("is that of a start that fails, too: its plugins close what they have opened", async () => {
    const ended: string[] = [];

    await failure(kernelWith([ending(ended, { startup: failing })]));

    expect(ended).to.deep.equal(["shutdown"]);
  });

  it("happens once, however often it is closed", async () => {
    const ended: string[] = [];
    const kernel = await kernelWith([ending(ended)]);

    await Promise.all([kernel.close(), kernel.close()]);
    await kernel.close();

    expect(ended).to.deep.equal(["shutdown"]);
  });
});

describe("permissions", () => {
  it("are refused, all of them, where no plugin decides them", async () => {
    const guarded = definePlugin({
      name: "guarded",
      register_routes: () => [
        {
          name: "guarded",
          path: "/-/guarded",
          target: "instance",
          permissions: permissionChain,
          view: () => reply.text("in"),
        },
      ],
    });
    const kernel = await kernelWith([guarded]);

    expect((await kernel.fetch("/-/guarded")).status).to.equal(403);
    expect(await kernel.permissions.allowed({ id: "root" }, "view-instance")).to.equal(false);
    expect(await kernel.permissions.allowed(null, permissionChain())).to.equal(false);
  });
});

describe("a refusal", () => {
  it("is answered by the first plugin that taps the forbidden hook, else by an error document", async () => {
    const closed = definePlugin({
      name: "closed",
      intercept_request: () => {
        throw new Forbidden("members only");
      },
    });
    const polite = definePlugin({
      name: "polite",
      forbidden: (_rowhouse, { message }) => reply.text(`Sorry: ${message}`, 403),
    });

    const plain = await (await kernelWith([closed])).fetch("/");
    const told = await (await kernelWith([closed, polite])).fetch("/");

    expect(JSON.parse(String(plain.body))).to.include({ error: "members only", status: 403 });
    expect(told.body).to.equal("Sorry: members only");
  });
});

describe("signed values", () => {
  it("open with any accepted secret, in their own namespace only, and not when changed", async () => {
    const old = await kernelWith([], { secrets: ["an older secret that still counts"] });
    const rotated = await kernelWith([], { secrets: [SECRET, "an older secret that still counts"] });
    const signed = old.sign({ a: 1 }, "token");

    expect(rotated.unsign(signed, "token")).to.deep.equal({ a: 1 });
    expect(() => rotated.unsign(signed, "actor")).to.throw("bad signature");
    expect(() => old.unsign(rotated.sign(1, "token"), "token")).to.throw("bad signature");
    for (let at = 0; at < signed.length; at++) {
      const changed = signed.slice(0, at) + (signed[at] === "A" ? "B" : "A") + signed.slice(at + 1);
      expect(() => old.unsign(changed, "token"), changed).to.throw("bad signature");
    }
  });

  it("have the published form", async () => {
    const kernel = await kernelWith([], { secrets: ["mysecret"] });

    expect(kernel.sign({ a: "root", t: 1_670_907_246 }, "token")).to.equal(
      "eyJhIjoicm9vdCIsInQiOjE2NzA5MDcyNDZ9.UO-V9XEe_uvgBHzmIuebO9exJuQ9v-aq6QRNtTC-_iI",
    );
  });
});
