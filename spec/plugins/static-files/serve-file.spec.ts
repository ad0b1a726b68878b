import { mkdir, mkdtemp, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz".repeat(100);
const CHANGED = new Date("2020-02-03T04:05:06.000Z");

describe("A mounted folder of files", () => {
  let root: string;
  let rowhouse: TestRowhouse;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "rowhouse-static-"));
    for (const folder of ["public/deeper", "public/.git", "public/.well-known", "public-private"])
      await mkdir(join(root, folder), { recursive: true });
    const files = {
      "public/app.css": "body{}",
      "public/page.unknown": "text",
      "public/Makefile": "all:",
      "public/no.html": "<p>",
      "public/data.geojson": "{}",
      "public/module.mjs": "export {}",
      "public/with space.txt": "spaced",
      "public/100%.txt": "percent",
      "public/empty.txt": "",
      "public/letters.txt": LETTERS,
      "public/.env": "secret",
      "public/.git/config": "secret",
      "public/.well-known/security.txt": "Contact: us",
      "public/.well-known/.hidden": "secret",
      "secret.txt": "secret",
      "public-private/secret.txt": "secret",
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content);
    await utimes(join(root, "public/letters.txt"), CHANGED, CHANGED);
    await symlink(join(root, "secret.txt"), join(root, "public/link.txt"));
    await symlink(root, join(root, "public/up"));
    await symlink(join(root, "public/app.css"), join(root, "public/inner.css"));
    await symlink(join(root, "nothing"), join(root, "public/dangling"));
    await symlink("loop", join(root, "public/loop"));
    const mounts = [
      { mount: "files", folder: join(root, "public") },
      { mount: "vm", folder: "/proc/sys/vm" },
    ];
    rowhouse = await rowhouseFor({ options: { staticMounts: mounts } });
  });
  after(() => rm(root, { recursive: true, force: true }));

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestReply> =>
    rowhouse.get(`/files/${path}`, { headers });

  it("is served with the type of the extension, a length and validators", async () => {
    const { status, headers, text } = await get("letters.txt");

    expect([status, text]).to.deep.equal([200, LETTERS]);
    expect(headers).to.include({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "2600",
      "last-modified": "Mon, 03 Feb 2020 04:05:06 GMT",
      "accept-ranges": "bytes",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    expect(headers.etag).to.match(/^"[\w-]+"$/);
  });

  const types: readonly (readonly [path: string, type: string])[] = [
    ["app.css", "text/css; charset=utf-8"],
    ["module.mjs", "text/javascript; charset=utf-8"],
    ["data.geojson", "application/geo+json"],
    ["no.html", "text/html; charset=utf-8"],
    ["page.unknown", "text/plain; charset=utf-8"],
    ["Makefile", "text/plain; charset=utf-8"],
  ];
  for (const [path, type] of types) {
    it(`has the type ${type}: ${path}`, async () => {
      expect((await get(path)).headers["content-type"]).to.equal(type);
    });
  }

  it("decodes its paths once", async () => {
    expect((await get("with%20space.txt")).text).to.equal("spaced");
    expect((await get("100%25.txt")).text).to.equal("percent");
  });

  it("follows links that stay inside", async () => {
    expect((await get("inner.css")).text).to.equal("body{}");
  });

  it("serves .well-known", async () => {
    expect((await get(".well-known/security.txt")).text).to.equal("Contact: us");
  });

  it("sends an empty file", async () => {
    const { status, headers, text } = await get("empty.txt");

    expect([status, headers["content-length"], text]).to.deep.equal([200, "0", ""]);
  });

  const refusals: readonly (readonly [path: string, status: number, body: string])[] = [
    ["nothing.css", 404, "404: File not found"],
    ["dangling", 404, "404: File not found"],
    ["loop", 404, "404: File not found"],
    ["app.css/", 404, "404: File not found"],
    ["app.css/deeper", 404, "404: File not found"],
    ["deeper", 403, "403: Directory listing is not allowed"],
    ["deeper/", 403, "403: Directory listing is not allowed"],
    ["", 403, "403: Directory listing is not allowed"],
    ["../secret.txt", 404, "404: Path not inside root path"],
    ["..%2fsecret.txt", 404, "404: Path not inside root path"],
    ["deeper/../../secret.txt", 404, "404: Path not inside root path"],
    ["../public-private/secret.txt", 404, "404: Path not inside root path"],
    ["link.txt", 404, "404: Path not inside root path"],
    ["up/secret.txt", 404, "404: Path not inside root path"],
    ["up", 404, "404: Path not inside root path"],
    ["%252e%252e/secret.txt", 404, "404: File not found"],
    ["..%5csecret.txt", 404, "404: File not found"],
    ["~2e~2e/secret.txt", 404, "404: File not found"],
    ["app.css%00.txt", 404, "404: File not found"],
    ["%zz", 404, "404: File not found"],
    ["/etc/passwd", 404, "404: File not found"],
    [".env", 404, "404: File not found"],
    [".git/config", 404, "404: File not found"],
    [".git", 404, "404: File not found"],
    ["%2eenv", 404, "404: File not found"],
    ["deeper/../.env", 404, "404: File not found"],
    [".well-known/.hidden", 404, "404: File not found"],
  ];
  for (const [path, status, body] of refusals) {
    it(`refuses ${JSON.stringify(path)}: ${body}`, async () => {
      const reply = await get(path);

      expect([reply.status, reply.text]).to.deep.equal([status, body]);
      expect(reply.headers["content-type"]).to.equal("text/html; charset=utf-8");
      expect(reply.headers["cache-control"]).to.equal(undefined);
    });
  }

  it("is 403 for GET and HEAD where the server may not read the file", async function () {
    // No user may read this file, also not root. It exists only on Linux.
    if ((await stat("/proc/sys/vm/compact_memory").catch(() => null)) === null) this.skip();

    for (const method of ["GET", "HEAD"]) {
      expect((await rowhouse.request(method, "/vm/compact_memory")).status, method).to.equal(403);
    }
  });

  it("answers 304 to those who have the file", async () => {
    const { headers } = await get("letters.txt");
    const tag = String(headers.etag);

    for (const conditions of [
      { "if-none-match": tag },
      { "if-none-match": `W/${tag}` },
      { "if-none-match": `"other", ${tag}` },
      { "if-modified-since": CHANGED.toUTCString() },
    ]) {
      const again = await get("letters.txt", conditions);
      expect([again.status, again.text], JSON.stringify(conditions)).to.deep.equal([304, ""]);
      expect(again.headers.etag).to.equal(tag);
      expect(again.headers["content-length"]).to.equal(undefined);
    }
    expect((await get("letters.txt", { "if-none-match": '"other"' })).status).to.equal(200);
    expect((await get("letters.txt", { "if-match": '"other"' })).status).to.equal(412);
  });

  it("has another tag after the file has changed", async () => {
    const path = join(root, "public/changing.txt");
    await writeFile(path, "one");
    const { headers } = await get("changing.txt");
    await writeFile(path, "three");

    const again = await get("changing.txt", { "if-none-match": String(headers.etag) });

    expect([again.status, again.text]).to.deep.equal([200, "three"]);
  });

  const ranges: readonly (readonly [range: string, status: number, part: string | null, content?: string])[] =
    [
      ["bytes=0-0", 206, "bytes 0-0/2600", "a"],
      ["bytes=24-27", 206, "bytes 24-27/2600", "yzab"],
      ["bytes=2598-", 206, "bytes 2598-2599/2600", "yz"],
      ["bytes=-3", 206, "bytes 2597-2599/2600", "xyz"],
      ["bytes=2599-9999", 206, "bytes 2599-2599/2600", "z"],
      ["bytes=2600-", 416, "bytes */2600"],
      ["bytes=0-1,5-6", 200, null, LETTERS],
      ["bytes=z", 200, null, LETTERS],
      ["lines=1-2", 200, null, LETTERS],
    ];
  for (const [range, status, part, content] of ranges) {
    it(`answers ${status} to Range: ${range}`, async () => {
      const reply = await get("letters.txt", { range, "accept-encoding": "gzip" });

      expect([reply.status, reply.headers["content-range"] ?? null]).to.deep.equal([status, part]);
      const { "content-encoding": coding } = reply.headers;
      const text = coding === "gzip" ? gunzipSync(reply.bytes).toString() : reply.text;
      if (content !== undefined) expect(text).to.equal(content);
      if (status === 206) expect(coding).to.equal(undefined);
    });
  }

  it("continues a download only of the same bytes", async () => {
    const range = "bytes=0-3";
    const { headers } = await get("letters.txt");
    const compressed = await get("letters.txt", { "accept-encoding": "gzip" });
    const tag = String(headers.etag);

    expect(compressed.headers.etag).to.equal(`W/${tag}`);
    expect((await get("letters.txt", { range, "if-range": tag })).status).to.equal(206);
    expect((await get("letters.txt", { range, "if-range": CHANGED.toUTCString() })).status).to.equal(206);
    for (const other of ['"other"', `W/${tag}`, "Mon, 03 Feb 2003 04:05:06 GMT"]) {
      expect((await get("letters.txt", { range, "if-range": other })).status, other).to.equal(200);
    }
  });

  it("answers HEAD with the headers of GET", async () => {
    const asked = [{}, { "accept-encoding": "gzip" }, { range: "bytes=1-4" }, { range: "bytes=9999-" }];
    for (const headers of asked) {
      const sent = await get("letters.txt", headers);
      const head = await rowhouse.request("HEAD", "/files/letters.txt", { headers });

      const { date: _sentAt, "x-request-id": _id, "transfer-encoding": _chunked, ...expected } = sent.headers;
      const { date: _headAt, "x-request-id": _headId, ...found } = head.headers;
      expect([head.status, found, head.text]).to.deep.equal([sent.status, expected, ""]);
    }
  });
});

describe("Assets of plugins", () => {
  it("are never asked for again by their fingerprint, and answer 304 and 206 without it", async () => {
    const rowhouse = await rowhouseFor();
    const path = "/-/static-plugins/jump/app.js";

    const named = await rowhouse.get(`${path}?0123ab`);
    const { headers, text } = await rowhouse.get(path);
    const again = await rowhouse.get(path, { headers: { "if-none-match": String(headers.etag) } });
    const part = await rowhouse.get(path, { headers: { range: "bytes=0-9" } });

    expect(named.headers["cache-control"]).to.equal("max-age=31536000, immutable, public");
    expect(headers["cache-control"]).to.equal("no-cache");
    expect(headers["content-type"]).to.equal("text/javascript; charset=utf-8");
    expect([again.status, part.status, part.text]).to.deep.equal([304, 206, text.slice(0, 10)]);
  });

  it("are never asked for again if they are scripts that another one imports", async () => {
    const rowhouse = await rowhouseFor();
    const { text } = await rowhouse.get("/-/static-plugins/charts/app.js");
    const [imported] = /chunk-\w{8}\.js/.exec(text) ?? [""];

    const found = await rowhouse.get(`/-/static-plugins/charts/${imported}`);
    const missing = await rowhouse.get("/-/static-plugins/charts/chunk-AAAAAAAA.js");

    expect([found.status, found.headers["cache-control"]]).to.deep.equal([
      200,
      "max-age=31536000, immutable, public",
    ]);
    expect([missing.status, missing.headers["cache-control"]]).to.deep.equal([404, undefined]);
  });

  it("are an image for the favicon", async () => {
    const { status, headers } = await (await rowhouseFor()).get("/favicon.ico");

    expect([status, headers["content-type"]]).to.deep.equal([200, "image/png"]);
    expect(headers["cache-control"]).to.equal("max-age=3600, immutable, public");
  });
});
