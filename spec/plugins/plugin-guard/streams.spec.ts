import { PassThrough } from "node:stream";
import { expect } from "chai";
import { definePlugin, reply, type Renderer, type Reply } from "rowhouse/plugin-api";
import type { BodyStream } from "rowhouse/plugin-api/http";
import type { HookFunctions } from "rowhouse/plugin-api/kernel";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { expectNoUnhandledRejections } from "../../harness/unhandled-rejections.js";
import { until } from "../../harness/until.js";

const withHooks = (hooks: HookFunctions): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }] },
    plugins: [definePlugin({ name: "weak", ...hooks })],
  });

const said = (rowhouse: TestRowhouse): string => rowhouse.logged.join("\n");

const streamed = (body: BodyStream): Reply => ({ ...reply.text(""), body });

const failing = (): BodyStream => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("no luck")) }),
});

async function* failingLater(): AsyncGenerator<string> {
  yield "x".repeat(100_000);
  throw new Error("no luck");
}

const renderer = (body: () => BodyStream): Renderer => ({
  extension: "odd",
  wants: () => ({ rows: "cells", infinity: "null", parts: new Set(), labels: false, stream: false }),
  render: () => streamed(body()),
});

describe("a stream that fails", () => {
  expectNoUnhandledRejections();

  const PLACES: Readonly<
    Record<string, readonly [path: string, hooks: (body: () => BodyStream) => HookFunctions]>
  > = {
    "the view mine": [
      "/-/mine",
      (body) => ({
        register_routes: () => ({
          name: "mine",
          path: "/-/mine",
          target: "instance",
          view: () => streamed(body()),
        }),
      }),
    ],
    "the renderer odd": [
      "/library/books.odd",
      (body) => ({ register_output_renderer: () => renderer(body) }),
    ],
    intercept_request: ["/library/books.json", (body) => ({ intercept_request: () => streamed(body()) })],
    before_view: ["/library/books.json", (body) => ({ before_view: () => streamed(body()) })],
  };
  for (const [place, [path, hooks]] of Object.entries(PLACES)) {
    it(`before its first piece is an error of the plugin: ${place}`, async () => {
      const rowhouse = await withHooks(hooks(failing));

      expect((await rowhouse.get(path)).status).to.equal(500);
      expect(said(rowhouse)).to.include(`Plugin weak failed in ${place}: no luck`);
    });

    it(`later cuts the connection, and the log names the plugin: ${place}`, async () => {
      const rowhouse = await withHooks(hooks(failingLater));

      const cut = await rowhouse.get(path).then(
        () => false,
        () => true,
      );

      expect(cut).to.equal(true);
      await until(() => said(rowhouse).includes(`Plugin weak failed in ${place}: no luck`));
    });

    it(`by a piece that is neither text nor bytes is an error of the plugin: ${place}`, async () => {
      const rowhouse = await withHooks(
        hooks(async function* () {
          yield 5 as never;
        }),
      );

      expect((await rowhouse.get(path)).status).to.equal(500);
      expect(said(rowhouse)).to.include(`Plugin weak failed in ${place}: a piece of its body is 5`);
    });
  }

  it("as rows of a page is an error of the plugin", async () => {
    const stream = { columns: ["id"], keys: [], labelled: [], batches: failing() as never };
    const rowhouse = await withHooks({
      register_routes: () => ({
        name: "mine",
        path: "/-/mine{.:format}",
        target: "instance",
        view: () => ({ name: "mine", data: { rows: [] }, stream }),
      }),
    });

    expect((await rowhouse.get("/-/mine.csv?_stream=on")).status).to.equal(500);
    expect(said(rowhouse)).to.include("Plugin weak failed in the view mine: no luck");
  });

  it("is closed at the end of the request, also if it is not read", async () => {
    const body = new PassThrough();
    const rowhouse = await withHooks({
      before_view: () => streamed(body),
      finish_reply: (_rowhouse, { value }) => ({ ...value, body: "instead" }),
    });

    expect((await rowhouse.get("/library/books.json")).text).to.equal("instead");
    expect(body.destroyed).to.equal(true);
  });
});
