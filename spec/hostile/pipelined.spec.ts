import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { workplace } from "../cli/command.js";

const REQUESTS = 30;
const MANY_ROWS = `create table t (id integer primary key, a);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
  insert into t select i, printf('%.*c', 100, 'x') from n`;

describe("A client that sends many requests at once and leaves without reading", () => {
  const place = workplace();

  it("leaves nothing behind: each request ends, and so does the server on SIGTERM", async () => {
    await place.database("data.db", MANY_ROWS);
    const server = await place.serve(["data.db", "--no-config"]);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.pause().write("GET /data/t.csv?_stream=on HTTP/1.1\r\nHost: x\r\n\r\n".repeat(REQUESTS));
    // Until the first ones wait for their client, and others for a connection.
    await sleep(1_000);
    socket.destroy();

    const ended = (): number => server.said().split("GET /data/t.csv ").length - 1;
    for (let turn = 0; turn < 100 && ended() < REQUESTS; turn += 1) await sleep(50);
    expect(ended()).to.equal(REQUESTS);
    const { code, stderr } = await server.stop("SIGTERM");
    expect(code).to.equal(0);
    expect(stderr).not.to.include("Error");
  });
});
