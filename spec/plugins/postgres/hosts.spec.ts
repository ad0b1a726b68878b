import { EventEmitter, once } from "node:events";
import { expect } from "chai";
import { Hosts, logPosition, type HostReport } from "../../../plugins/postgres/connect/hosts.js";
import { failure } from "../../harness/failures.js";

const addresses = ["a", "b", "c"].map((host) => ({ host, port: 5432 }));

const primary = (position: bigint, timeline = 1): HostReport => ({
  role: "primary",
  timeline,
  position,
  lagSeconds: 0,
});
const standby = (position: bigint, lagSeconds = 0): HostReport => ({
  role: "standby",
  timeline: 0,
  position,
  lagSeconds,
});

/** Three servers whose reports a test changes, and a clock that it moves. */
function cluster(reports: Record<string, HostReport | null>) {
  let now = 0;
  let probes = 0;
  const delays = new Map<string, Promise<unknown>>();
  const hosts = new Hosts({
    addresses,
    maxLagSeconds: 10,
    now: () => now,
    probe: async ({ host }) => {
      probes += 1;
      const report = reports[host] ?? null;
      if (report === null) throw new Error("down");
      await delays.get(host);
      return report;
    },
  });
  return {
    hosts,
    reports,
    wait: (ms: number) => (now += ms),
    probes: () => probes,
    /** The next answers of a server are on their way until the returned function is called. */
    delay(host: string): () => void {
      const delay = new EventEmitter();
      delays.set(host, once(delay, "end"));
      return () => void delay.emit("end");
    },
    reader: async () => (await hosts.reader()).host,
    writer: async () => (await hosts.primary()).host,
  };
}

describe("the choice among the servers of a cluster", () => {
  it("writes to the primary and reads from one standby", async () => {
    const { reader, writer } = cluster({ a: standby(5n), b: primary(5n), c: null });

    expect(await writer()).to.equal("b");
    expect([await reader(), await reader(), await reader()]).to.deep.equal(["a", "a", "a"]);
  });

  it("reads from the primary until a standby has replayed what was written", async () => {
    const { hosts, reports, reader, wait } = cluster({ a: standby(5n), b: primary(9n), c: null });
    hosts.noteWrite(9n);

    expect(await reader()).to.equal("b");
    reports["a"] = standby(9n);
    wait(2_000);
    expect(await reader()).to.equal("a");
  });

  it("leaves out standbys that are too far behind, or down", async () => {
    const { hosts, reports, reader, wait } = cluster({ a: standby(5n, 60), b: primary(9n), c: standby(9n) });

    expect(await reader()).to.equal("c");
    hosts.noteFailure(addresses[2] ?? { host: "", port: 0 });
    reports["c"] = null;
    expect(await reader()).to.equal("b");
    reports["c"] = standby(9n);
    wait(2_000);
    expect(await reader()).to.equal("c");
  });

  it("finds the new primary after a failover, and the promoted one if two claim it", async () => {
    const { hosts, reports, writer, wait } = cluster({ a: primary(5n), b: standby(5n), c: null });
    expect(await writer()).to.equal("a");
    hosts.noteFailure(addresses[0] ?? { host: "", port: 0 });
    reports["a"] = null;

    expect((await failure(writer())).name).to.equal("DatabaseUnavailable");
    reports["b"] = primary(7n, 2);
    wait(2_000);
    expect(await writer()).to.equal("b");
    for (const position of [6n, 9n]) {
      reports["a"] = primary(position);
      wait(2_000);
      hosts.noteFailure(addresses[1] ?? { host: "", port: 0 });
      expect(await writer()).to.equal("b");
      expect(await writer(), "while both answers are fresh").to.equal("b");
    }
  });

  it("writes to the primary with the longer log if none was promoted", async () => {
    const { writer } = cluster({ a: primary(5n), b: primary(7n), c: null });

    expect([await writer(), await writer()]).to.deep.equal(["b", "b"]);
  });

  it("asks a server at most once a second, however many requests there are", async () => {
    const { reader, probes, wait } = cluster({ a: standby(5n), b: primary(5n), c: standby(5n) });
    await Promise.all(Array.from({ length: 50 }, reader));
    expect(probes()).to.equal(3);
    wait(2_000);
    await reader();
    expect(probes()).to.equal(6);
  });

  it("does not wait for a server that did not answer the last time, unless there is no other", async () => {
    const { reports, delay, wait, reader, writer } = cluster({ a: primary(5n), b: standby(5n), c: null });
    expect([await reader(), await writer()]).to.deep.equal(["b", "a"]);

    const answer = delay("c");
    reports["c"] = primary(9n, 2);
    wait(2_000);
    expect([await reader(), await writer()]).to.deep.equal(["b", "a"]);

    reports["a"] = null;
    wait(2_000);
    const waiting = writer();
    answer();
    expect(await waiting).to.equal("c");
  });

  it("does not count an answer that a server gave before it failed", async () => {
    const { hosts, reader, reports, delay } = cluster({ a: standby(5n), b: primary(5n), c: null });
    const answered = delay("a");
    const first = reader();
    hosts.noteFailure(addresses[0] ?? { host: "", port: 0 });
    reports["a"] = null;
    answered();

    expect(await first).to.equal("b");
    expect(await reader()).to.equal("b");
  });

  it("serves reads from a standby while there is no primary, and fails when nothing answers", async () => {
    const { reports, reader, wait } = cluster({ a: standby(1n, 60), b: null, c: null });
    expect(await reader()).to.equal("a");
    reports["a"] = null;
    wait(2_000);
    expect((await failure(reader())).name).to.equal("DatabaseUnavailable");
  });

  it("compares log positions as numbers", () => {
    expect(logPosition("16/B374D848")).to.equal(0x16b374d848n);
    expect(logPosition("2/0") > logPosition("1/FFFFFFFF")).to.equal(true);
  });
});
