import { expect } from "chai";
import { listen, type Kernel } from "rowhouse";
import { reply, type Plugin, type Renderer, type RouteFor } from "rowhouse/plugin-api";
import { nothingWanted } from "rowhouse/plugin-api/http";
import { kernelWith } from "../harness/bare-kernel.js";
import { closeWhenDone } from "../harness/lifetimes.js";
import { rowhouseFor } from "../harness/index.js";

const route = (
  name: string,
  path: string | RegExp,
  more: Partial<RouteFor<"instance">> = {},
): RouteFor<"instance"> => ({ name, path, target: "instance", view: () => reply.text(name), ...more });

const routing = (...routes: readonly RouteFor<"instance">[]): Plugin => ({
  name: routes.map(({ name }) => name).join(" and "),
  register_routes: () => routes,
});

async function served(kernel: Kernel): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const server = await listen(kernel, { port: 0 });
  closeWhenDone(server);
  return (path, init) => fetch(`${server.url}${path}`, init);
}

describe("a route with a regular expression", () => {
  it("matches from the start of the path, in each of its alternatives", async () => {
    const get = await served(await kernelWith([routing(route("either", /\/-\/one|\/-\/other/))]));

    expect((await get("/-/other")).status).to.equal(200);
    expect((await get("/somewhere/-/other")).status).to.equal(404);
  });

  it("matches each path for itself, whichever flags it has", async () => {
    const get = await served(await kernelWith([routing(route("any", /\/-\/item\/\d/g))]));

    const statuses = [];
    for (const path of ["/-/item/1", "/-/item/2", "/-/item/3"]) statuses.push((await get(path)).status);

    expect(statuses).to.deep.equal([200, 200, 200]);
  });
});

describe("a path with a dot", () => {
  it("is that of a route with this name, before one for formats that do not exist", async () => {
    const list = route("list", "/-/list{.:format}");
    const get = await served(await kernelWith([routing(list), routing(route("file", "/-/list.txt"))]));

    expect(await (await get("/-/list.txt")).text()).to.equal("file");
    expect((await get("/-/list_txt")).status).to.equal(404);
  });

  it("is that of a row of a table with a dot in its name", async () => {
    const rowhouse = await rowhouseFor({ tables: { "books.v2": [{ id: 1, title: "Emma" }] } });

    const { json } = await rowhouse.get("/library/books.v2/1.json?_shape=objects");

    expect(json.rows).to.deep.equal([{ id: 1, title: "Emma" }]);
  });
});

describe("a page below /-/ of a database", () => {
  it("comes before the rows of a table that is named -", async () => {
    const rowhouse = await rowhouseFor({ tables: { "-": [{ id: 1 }] } });

    expect((await rowhouse.get("/library/-/diagram")).status).to.equal(200);
    expect((await rowhouse.get("/library/-/1.json")).status).to.equal(200);
  });
});

const renderer = (extension: string, owner: string): Renderer => ({
  extension,
  wants: () => nothingWanted,
  render: () => reply.text(`${extension} of ${owner}`),
});
const view = () => ({ name: "numbers", data: { one: 1 }, status: 201 });

const rendering = (name: string): Plugin => ({
  name,
  register_output_renderer: () => [renderer("html", name)],
});

describe("a page", () => {
  it("has the format of its extension, then that of _format if its path can have an extension", async () => {
    const get = await served(
      await kernelWith([
        routing(route("with", "/-/with{.:format}", { view }), route("without", "/-/without", { view })),
        {
          name: "formats",
          register_output_renderer: () => [renderer("html", "one"), renderer("txt", "one")],
        },
      ]),
    );

    const texts = [];
    for (const path of ["/-/with.txt?_format=html", "/-/with?_format=txt", "/-/without?_format=txt"])
      texts.push(await (await get(path)).text());

    expect(texts).to.deep.equal(["txt of one", "txt of one", "html of one"]);
  });

  it("is rendered by the first plugin that has a renderer of its format", async () => {
    const page = routing(route("page", "/-/page", { view }));
    const get = await served(await kernelWith([page, rendering("first"), rendering("second")]));

    expect(await (await get("/-/page")).text()).to.equal("html of first");
  });

  it("is JSON with its own status where no plugin renders", async () => {
    const get = await served(await kernelWith([routing(route("page", "/-/page", { view }))]));

    const answer = await get("/-/page");

    expect([answer.status, await answer.json()]).to.deep.equal([201, { one: 1 }]);
  });

  it("does not tell its methods to clients that may not view it, also if it is authorized by name", async () => {
    const closed = route("closed", "/-/closed", { requires: () => [["open-it", null]] });
    const get = await served(await kernelWith([routing(closed)]));

    const answer = await get("/-/closed", { method: "PUT" });

    expect([answer.status, answer.headers.get("allow")]).to.deep.equal([403, null]);
  });
});
