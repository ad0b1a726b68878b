import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "../../harness/index.js";

const failing = definePlugin({
  name: "failing",
  http_wrapper: () => (message, _response, next) =>
    next(message.url === "/middleware" ? new Error("broken") : undefined),
  register_routes: () => [
    {
      name: "body",
      path: "/body",
      target: "instance",
      view: () => ({ status: 200, headers: {}, body: brokenBody() }),
    },
  ],
});

async function* brokenBody(): AsyncGenerator<string> {
  if (Date.now() > 0) throw new Error("broken");
  yield "";
}

/** What comes back for bytes that no client would send. */
async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").end(request);
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  await once(socket, "close");
  return Buffer.concat(pieces).toString("latin1");
}

describe("CORS", () => {
  for (const path of ["/library.json", "/library/nope.json", "/library/books.csv", "/library/books/"]) {
    it(`lets other sites read ${path} under --cors`, async () => {
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, options: { cors: true } });

      const { headers } = await rowhouse.get(path);

      expect(headers["access-control-allow-origin"]).to.equal("*");
      expect(headers["access-control-allow-headers"]).to.equal("Authorization, Content-Type");
      expect(headers["access-control-expose-headers"]).to.equal("Link");
      expect(headers["access-control-allow-methods"]).to.equal("GET, POST, HEAD, OPTIONS");
      expect(headers["access-control-allow-credentials"]).to.equal(undefined);
    });
  }

  it("lets a refusal be read too", async () => {
    const rowhouse = await rowhouseFor({ metadata: { allow: false }, options: { cors: true } });

    const reply = await rowhouse.get("/.json");

    expect(reply.status).to.equal(403);
    expect(reply.headers["access-control-allow-origin"]).to.equal("*");
  });

  const UNREADABLE = {
    431: `GET /${"a".repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    405: "BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
    400: "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
  };
  for (const [status, request] of Object.entries(UNREADABLE)) {
    it(`lets the refusal of a request that can't be read be read too: ${status}`, async () => {
      const { port } = await rowhouseFor({ options: { cors: true } });

      const reply = await raw(port, request);

      expect(reply).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(reply.match(/access-control-allow-origin: \*/gi)).to.have.length(1);
    });
  }

  for (const path of ["/middleware", "/body"]) {
    it(`lets the error of a plugin be read too: ${path}`, async () => {
      const rowhouse = await rowhouseFor({ plugins: [failing], options: { cors: true } });

      const { status, headers } = await rowhouse.get(path);

      expect(status).to.equal(500);
      expect(headers["access-control-allow-origin"]).to.equal("*");
    });
  }

  it("lets other sites send, and read, what writing once and on a condition takes", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, options: { cors: true } });
    const again = { as: "root", json: { row: { id: 2 } }, headers: { "idempotency-key": "one" } };
    await rowhouse.post("/library/books/-/insert", again);

    const preflight = await rowhouse.request("OPTIONS", "/library/books/1/-/update");
    const version = await rowhouse.get("/library/books/1.json?_extras=version");
    const repeated = await rowhouse.post("/library/books/-/insert", again);

    expect(preflight.status).to.be.within(200, 204);
    expect(preflight.headers["access-control-allow-headers"]).to.equal(
      "Authorization, Content-Type, If-Match, Idempotency-Key",
    );
    expect(preflight.headers["access-control-max-age"]).to.equal("3600");
    expect(version.headers["access-control-max-age"]).to.equal(undefined);
    expect(version.headers["access-control-expose-headers"]).to.equal("Link, ETag");
    expect(repeated.headers["access-control-expose-headers"]).to.equal("Link, Idempotency-Replayed");
  });

  it("lets scripts see that a CSV is only one page", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }, { id: 2 }] },
      options: { cors: true },
    });

    const { headers } = await rowhouse.get("/library/books.csv?_size=1");

    expect(headers["access-control-expose-headers"]).to.equal("Link, Rowhouse-Truncated");
  });

  it("is off unless asked for", async () => {
    const reply = await (await rowhouseFor()).get("/library.json");

    expect(reply.headers["access-control-allow-origin"]).to.equal(undefined);
  });
});
