import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";

const ROWS =
  "create table t (id integer primary key, s text);" +
  " with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)" +
  " insert into t select i, hex(zeroblob(200)) from n";
const PAGE = "GET /two/t/1.json HTTP/1.1\r\nHost: x\r\n\r\n";

const residentMb = ({ process: { pid } }: Serving): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

describe("a server with many connections", function () {
  this.timeout(120_000);
  const place = workplace();
  const sockets: Socket[] = [];
  let server: Serving;
  before(async () => {
    await place.database("two.db", ROWS);
    server = await place.serve(["two.db"]);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  async function open(count: number, request: string): Promise<void> {
    for (let opened = 0; opened < count; opened += 1) {
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
      sockets.push(socket.on("error", () => undefined));
      await once(socket, "connect");
      if (request !== "") socket.write(request);
    }
  }
  async function answersAtOnce(): Promise<void> {
    const began = performance.now();
    expect((await fetch(`${server.url}/two/t/2.json`)).status).to.equal(200);
    expect(performance.now() - began).to.be.below(2_000);
  }

  it("serves others beside a thousand idle ones", async () => {
    await open(1_000, "");
    await open(200, "GET / HTTP/1.1\r\nHost: x\r\nA: ");

    await answersAtOnce();
  });

  it("keeps little of an export for clients that do not read it", async function () {
    if (process.platform !== "linux") this.skip();
    const before = residentMb(server);

    await open(20, "GET /two/t.csv?_stream=on HTTP/1.1\r\nHost: x\r\n\r\n");
    for (const socket of sockets) socket.pause();
    await sleep(2_000);

    await answersAtOnce();
    // All of them together would be 800 MB.
    expect(residentMb(server) - before).to.be.below(200);
  });

  it("answers requests that follow each other without waiting, in their order", async () => {
    const count = 300;
    const requests = Array.from({ length: count }, (_, index) =>
      PAGE.replace("t/1.json", `t/${index + 1}.json?_shape=arrayfirst`),
    );
    await open(1, requests.join(""));
    let text = "";
    for await (const piece of sockets[0] as Socket) {
      text += String(piece);
      if (text.split("HTTP/1.1 200").length > count && text.endsWith(`[${count}]`)) break;
    }

    const ids = [...text.matchAll(/\r\n\r\n\[(\d+)\]/g)].map(([, id]) => Number(id));
    expect(ids).to.deep.equal(Array.from({ length: count }, (_, index) => index + 1));
  });
});
