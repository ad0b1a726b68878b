import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const ROW = '{"row": {"title": "Ulysses"}}';

const JSON_TYPE = "application/json";
const LINES_TYPE = "application/x-ndjson";

interface Upload {
  readonly type?: string;
  /** In bytes; without it the body is sent in chunks. */
  readonly length?: number;
  readonly as?: string;
}

/** Begins to insert and sends nothing of the body yet. */
function begin(rowhouse: TestRowhouse, { type = JSON_TYPE, length, as = "root" }: Upload): ClientRequest {
  const { rowhouse: server } = rowhouse;
  const csrf = server.sign("harnessharnessha", "csrf");
  const sent = request({
    host: "127.0.0.1",
    port: rowhouse.port,
    agent: false,
    method: "POST",
    path: "/library/books/-/insert",
    headers: {
      cookie: `rowhouse_actor=${server.sign({ a: { id: as } }, "actor")}; rowhouse_csrf=${csrf}`,
      "x-csrftoken": csrf,
      "content-type": type,
      connection: "keep-alive",
      ...(length !== undefined && { "content-length": String(length) }),
    },
  });
  // Connections that the server closes are what these specs are about.
  sent.on("error", () => undefined);
  sent.flushHeaders();
  return sent;
}

/** Sends a byte every 50 ms until the server has answered or hung up, and says what it answered. */
async function drip(sent: ClientRequest): Promise<{ status: number; text: string } | null> {
  let isOver = false;
  const answered = once(sent, "response").then(async ([response]) => {
    const pieces: Buffer[] = [];
    for await (const piece of response as IncomingMessage) pieces.push(piece as Buffer);
    return { status: (response as IncomingMessage).statusCode ?? 0, text: Buffer.concat(pieces).toString() };
  });
  const over = answered.catch(() => null).finally(() => (isOver = true));
  while (!isOver) {
    if (!sent.destroyed) sent.write("x");
    await sleep(50);
  }
  return over;
}

/** Resolves when the server has closed the connection. */
const hungUp = async (sent: ClientRequest): Promise<void> => {
  const socket = sent.socket;
  if (socket !== null && !socket.closed) await once(socket, "close");
};

describe("An upload", () => {
  for (const type of [JSON_TYPE, LINES_TYPE]) {
    it(`of which nothing more comes is answered with 408, and the connection closed: ${type}`, async () => {
      const rowhouse = await rowhouseFor({ tables, settings: { body_idle_limit_ms: 300 } });
      const sent = begin(rowhouse, { type, length: 100 });
      sent.write("{");

      const [response] = (await once(sent, "response")) as [IncomingMessage];
      let text = "";
      for await (const piece of response) text += String(piece);
      await hungUp(sent);

      expect(response.statusCode).to.equal(408);
      expect(response.headers.connection).to.equal("close");
      expect(text).to.include("no byte within 300 ms");
      expect(await rowhouse.rows("books")).to.have.length(1);
    });
  }

  it("that comes byte by byte is answered with 408", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { body_time_limit_ms: 600 } });

    const answer = await drip(begin(rowhouse, { length: 100_000 }));

    expect(answer?.status).to.equal(408);
    expect(await rowhouse.rows("books")).to.have.length(1);
  });

  it("of rows in chunks that comes byte by byte is answered with 408, and writes nothing", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { body_time_limit_ms: 600 } });
    const sent = begin(rowhouse, { type: LINES_TYPE });
    sent.write('{"title": "Ulysses"}\n');

    const answer = await drip(sent);

    expect(answer?.status).to.equal(408);
    expect(await rowhouse.rows("books")).to.have.length(1);
  });

  it("that continues byte by byte after an error reply is disconnected", async () => {
    const rowhouse = await rowhouseFor({ tables, settings: { body_time_limit_ms: 600 } });
    const sent = begin(rowhouse, { length: 100_000, as: "ann" });

    const answer = await drip(sent);
    while (sent.socket?.closed === false) {
      sent.socket.write("x");
      await sleep(50);
    }

    expect(answer?.status).to.equal(403);
  });

  it("that arrives after an error reply leaves nothing on a connection that stays open", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const warnings: string[] = [];
    const warned = ({ message }: Error): unknown => warnings.push(message);
    process.on("warning", warned);
    const socket = connect(rowhouse.port, "127.0.0.1");

    // Node warns of the eleventh listener for the same event.
    for (let count = 0; count < 12; count += 1) {
      socket.write("POST /library/nothing/-/insert HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n");
      await once(socket, "data");
      socket.write("x");
      await sleep(20);
    }
    socket.destroy();
    process.off("warning", warned);

    expect(warnings).to.deep.equal([]);
  });

  it("that makes progress may take longer than the limit", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      settings: { body_time_limit_ms: 400, body_idle_limit_ms: 20_000 },
    });
    const padding = " ".repeat(1_000);
    const sent = begin(rowhouse, { length: ROW.length + 10 * padding.length });
    for (let count = 0; count < 10; count += 1) {
      sent.write(padding);
      await sleep(100);
    }
    sent.end(ROW);

    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();

    expect(response.statusCode).to.equal(201);
  });

  it("waits for as long as it likes where the limits are 0", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      settings: { body_time_limit_ms: 0, body_idle_limit_ms: 0 },
    });
    const sent = begin(rowhouse, { length: ROW.length });
    await sleep(300);
    sent.end(ROW);

    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();

    expect(response.statusCode).to.equal(201);
  });
});
