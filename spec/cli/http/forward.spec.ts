import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Forwarder } from "rowhouse";
import type { RowhouseError } from "rowhouse/plugin-api";

describe("a request for the worker that writes", () => {
  let folder: string;
  let front: Server;
  let forwarder: Forwarder;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-forward-"));
    forwarder = new Forwarder(join(folder, "writer"));
    front = createHttpServer((message, response) => {
      forwarder
        .forward(message, response)
        .catch(({ status, code }: RowhouseError) => response.writeHead(status).end(code));
    });
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    forwarder.close();
    front.closeAllConnections();
    front.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("has an unknown outcome if the worker ends before it replies", async () => {
    const dying = createServer((socket) => socket.once("data", () => socket.destroy()));
    await new Promise<void>((resolve) => dying.listen(forwarder.socketPath, resolve));

    const { port } = front.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });

    expect(reply.status).to.equal(503);
    expect(await reply.text()).to.equal("UNKNOWN_OUTCOME");
    dying.close();
  });
});
