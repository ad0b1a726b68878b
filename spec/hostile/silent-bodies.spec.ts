import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import type { SentReply } from "rowhouse/plugin-api/kernel";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";
import { until } from "../harness/until.js";

/** Bodies from which no further piece comes. */
const SILENT = {
  "from the start": async function* () {
    await new Promise(() => {});
    yield "never";
  },
  "after a piece": async function* () {
    yield "first";
    await new Promise(() => {});
  },
  "of an iterator that cannot be closed": () => ({
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
  }),
} as const;

describe("a body that stays silent", () => {
  for (const [name, body] of Object.entries(SILENT))
    it(`${name} is given up when the client leaves`, async () => {
      const sent: SentReply[] = [];
      const silent = definePlugin({
        name: "silent",
        register_routes: () => ({
          name: "silent",
          path: "/-/silent",
          target: "instance",
          view: () => ({ status: 200, headers: {}, body: body() }),
        }),
        reply_sent: (_rowhouse, reply) => void sent.push(reply),
      });
      const rowhouse = await rowhouseFor({ plugins: [silent], settings: { max_requests_at_once: 2 } });

      await leave(rowhouse, "/-/silent");
      await until(() => sent.length > 0);

      expect(sent.map(({ isComplete }) => isComplete)).to.deep.equal([false]);
      expect(rowhouse.logged.filter((line) => line.startsWith("error"))).to.deep.equal([]);
      expect((await rowhouse.get("/.json")).status).to.equal(200);
    });
});

/** Sends a request and disconnects when the server is waiting for its body. */
async function leave({ port }: TestRowhouse, path: string): Promise<void> {
  const request = httpRequest({ host: "127.0.0.1", port, path, agent: false }).end();
  request.on("error", () => undefined);
  await Promise.race([once(request, "response"), new Promise((done) => setTimeout(done, 200))]);
  request.destroy();
}
