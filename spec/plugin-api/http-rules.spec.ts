import { expect } from "chai";
import {
  isSendable,
  makeRequest,
  parseCookies,
  reply,
  safeLocation,
  textOfBody,
  tildeDecode,
  timeLimitMs,
} from "rowhouse/plugin-api/http";
import { kernelWith } from "../harness/bare-kernel.js";

async function isSecure(remoteAddress: string | null, proto: string): Promise<boolean> {
  const request = makeRequest(await kernelWith([]), {
    method: "GET",
    target: "/",
    headers: { host: "localhost", "x-forwarded-proto": proto },
    encrypted: false,
    remoteAddress,
    signal: () => new AbortController().signal,
    body: (async function* () {})(),
  });
  return request.secure;
}

describe("X-Forwarded-Proto", () => {
  it("is believed only if a proxy on this machine says https", async () => {
    for (const address of [null, "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])
      expect(await isSecure(address, "https"), String(address)).to.equal(true);
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "::1:2", "2001:db8::1"])
      expect(await isSecure(address, "https"), address).to.equal(false);
    expect(await isSecure("127.0.0.1", "http")).to.equal(false);
  });
});

describe("the target of a redirect", () => {
  it("stays on this site, whatever it begins with", () => {
    for (const target of [
      "//evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "\r\n//evil.example",
      "evil.example",
    ])
      expect(safeLocation(target), JSON.stringify(target)).to.equal("/evil.example");
    expect(reply.redirect("\\/evil.example").headers["location"]).to.equal("/evil.example");
  });
});

describe("a Cookie header", () => {
  it("has the first of two values of a name, without quotes, and no cookie without a name", () => {
    const cookies = parseCookies('a="one"; a=two; =none; alone; b=x=y');

    expect([...cookies]).to.deep.equal([
      ["a", "one"],
      ["b", "x=y"],
    ]);
  });
});

const sendable = (status: number, value: string | readonly string[] = "x"): boolean =>
  isSendable(reply.text("", status, { "x-a": value }));

describe("a reply", () => {
  it("can be sent with a final status and with headers that HTTP allows", () => {
    expect([sendable(200), sendable(200, ["a", "b"]), sendable(200, "é")]).to.deep.equal([true, true, true]);
    for (const status of [101, 199, 200.5, 1000]) expect(sendable(status), String(status)).to.equal(false);
    for (const value of ["\x7f", "two\nlines", ["a", "\n"], "€"])
      expect(sendable(200, value), JSON.stringify(value)).to.equal(false);
  });

  it("has the text of all its bytes, also if the last character is cut off", async () => {
    const cut = (async function* () {
      yield Buffer.from([0x61, 0xc3]);
    })();

    expect(await textOfBody(cut)).to.equal("a\ufffd");
  });
});

describe("a path and its arguments", () => {
  it("decode plus signs, and a tilde without digits as a percent sign", () => {
    expect([tildeDecode("a+b"), tildeDecode("a~b")]).to.deep.equal(["a b", "a%b"]);
  });

  it("cannot raise the time limit", () => {
    expect(timeLimitMs(new URLSearchParams("_timelimit=5000"), 1000)).to.equal(1000);
  });
});
