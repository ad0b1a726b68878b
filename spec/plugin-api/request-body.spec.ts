import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { definePlugin, jsonText, reply, type Request } from "rowhouse/plugin-api";
import { makeRequest } from "rowhouse/plugin-api/http";
import { failure } from "../harness/failures.js";
import { rowhouseFor } from "../harness/index.js";

/** A request with this body, without a socket, which would take turns of the event loop too. */
const requestWith = (body: Buffer, contentType: string): Promise<Request> =>
  requestWithPieces([body], contentType);

async function requestWithPieces(pieces: Iterable<Buffer>, contentType: string): Promise<Request> {
  const { rowhouse } = await rowhouseFor();
  return makeRequest(rowhouse, {
    method: "POST",
    target: "/",
    headers: { host: "localhost", "content-type": contentType },
    encrypted: false,
    remoteAddress: "127.0.0.1",
    signal: () => new AbortController().signal,
    body: (async function* () {
      yield* pieces;
    })(),
  });
}

const bodies = definePlugin({
  name: "bodies",
  skip_csrf: () => true,
  register_routes: () => [
    {
      name: "json-body",
      method: "POST",
      path: "/-/json-body",
      target: "instance",
      view: async ({ request }) => reply.json(jsonText(await request.json())),
    },
    {
      name: "pieces",
      method: "POST",
      path: "/-/pieces",
      target: "instance",
      view: async ({ request }) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of request.stream()) pieces.push(piece);
        return reply.json(jsonText({ pieces: pieces.length, bytes: Buffer.concat(pieces).length }));
      },
    },
    {
      name: "form-body",
      method: "POST",
      path: "/-/form-body",
      target: "instance",
      view: async ({ request }) => {
        const { fields, files } = await request.form();
        const file = files.get("photo");
        const photo = file && { name: file.name, type: file.type, size: file.size };
        const bytes = file && Buffer.from(await file.arrayBuffer()).toString("hex");
        return reply.json(jsonText({ fields: [...fields], photo, bytes }));
      },
    },
  ],
});

describe("request.json()", () => {
  it("returns the document with exact numbers", async () => {
    const { post } = await rowhouseFor({ plugins: [bodies] });

    const { status, text } = await post("/-/json-body", { body: '{"id": 9007199254740993, "x": 1.0}' });

    expect(status).to.equal(200);
    expect(text).to.equal('{"id": 9007199254740993, "x": 1.0}');
  });

  for (const rows of [1, 20_000]) {
    it(`returns ${rows} nested objects and lists, and keys that name the prototype`, async () => {
      const { post } = await rowhouseFor({ plugins: [bodies] });
      const row = '{"b": [1, {"__proto__": {"x": []}}, null], "a": {}}';
      const body = `{"rows": [${Array.from({ length: rows }, () => row).join(", ")}]}`;

      const { text } = await post("/-/json-body", { body });

      expect(text === body).to.equal(true);
    });
  }

  for (const [what, body] of [
    ["text that is not JSON", "{id: 1}"],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["an empty body", ""],
  ] as const) {
    it(`refuses ${what} with 400`, async () => {
      const { post } = await rowhouseFor({ plugins: [bodies] });

      const { status, text } = await post("/-/json-body", { body });

      expect(status).to.equal(400);
      expect(text).to.include("The request body is not JSON in UTF-8");
    });
  }

  it("refuses a body over max_post_body_bytes with 413", async () => {
    const { post } = await rowhouseFor({ plugins: [bodies], settings: { max_post_body_bytes: 10 } });

    expect((await post("/-/json-body", { body: '"0123456789"' })).status).to.equal(413);
  });
});

describe("request.form()", () => {
  it("returns the fields of a form in the order of the body", async () => {
    const { post } = await rowhouseFor({ plugins: [bodies] });
    const headers = { "content-type": "application/x-www-form-urlencoded" };

    const { json } = await post("/-/form-body", { body: "a=1&b=%C3%A9+x&a=2", headers });

    expect(json.fields).to.deep.equal([
      ["a", "1"],
      ["b", "é x"],
      ["a", "2"],
    ]);
  });

  it("refuses more than 6,500 parts", async () => {
    const { post } = await rowhouseFor({ plugins: [bodies] });
    const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n';
    const statusOf = async (parts: number, boundary: string): Promise<number> => {
      const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
      return (await post("/-/form-body", { body: `${part.repeat(parts)}--x--\r\n`, headers })).status;
    };

    expect(await statusOf(6_499, "x")).to.equal(200);
    expect(await statusOf(6_500, "x")).to.equal(400);
    expect(await statusOf(6_500, '"x"')).to.equal(400);
    expect(await statusOf(1, "y")).to.equal(400);
  });

  it("returns the fields and files of a multipart form, the bytes unchanged", async () => {
    const { origin } = await rowhouseFor({ plugins: [bodies] });
    const body = new FormData();
    body.append("title", "é\r\nx");
    body.append("photo", new Blob([Buffer.from("00ff0d0a2d2d80", "hex")], { type: "image/png" }), "ü.png");

    const response = await fetch(`${origin}/-/form-body`, { method: "POST", body });

    expect(await response.json()).to.deep.equal({
      fields: [["title", "é\r\nx"]],
      photo: { name: "ü.png", type: "image/png", size: 7 },
      bytes: "00ff0d0a2d2d80",
    });
  });

  it("reads a multipart form of many parts in several turns of the event loop, in order", async () => {
    const body = new FormData();
    const fields = Array.from({ length: 3_000 }, (_, at) => [`a${at % 7}`, `\ufeff--x\r\n${at}`] as const);
    for (const [name, value] of fields) body.append(name, value);
    body.append("photo", new Blob([Buffer.from("efbbbf41", "hex")]), "x.png");
    for (const [name, value] of fields) body.append(name, value);
    const form = new Response(body);
    const type = form.headers.get("content-type") ?? "";
    const bytes = Buffer.from(await form.arrayBuffer());
    const request = await requestWith(bytes, type);
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      timer = setImmediate(turn);
    };
    let timer = setImmediate(turn);

    const read = await request.form();
    clearImmediate(timer);

    expect([...read.fields]).to.deep.equal([...fields, ...fields]);
    expect(read.files.get("photo")?.size).to.equal(4);
    expect(turns).to.be.above(5);
  });

  it("refuses a multipart form with further parts behind the last one", async () => {
    const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n';
    const form = `${part.repeat(400)}--x--\r\n`;

    const request = await requestWith(Buffer.from(form + form), "multipart/form-data; boundary=x");
    const error = await failure(request.form());

    expect(error.message).to.equal("The multipart form could not be read");
  });

  it("keeps U+FEFF at the start of the fields of a multipart form", async () => {
    const { origin } = await rowhouseFor({ plugins: [bodies] });
    const body = new FormData();
    const fields = [
      ["a", "\ufeffx"],
      ["b", "\ufeff\ufeff"],
      ["c", "x\ufeff"],
      ["d", ""],
      ["e", "--\r\n\r\n\ufeff"],
    ] as const;
    for (const [name, value] of fields) body.append(name, value);
    body.append("photo", new Blob([Buffer.from("efbbbf41", "hex")]), "x.png");

    const response = await fetch(`${origin}/-/form-body`, { method: "POST", body });

    expect(await response.json()).to.deep.include({ fields, bytes: "efbbbf41" });
  });

  for (const type of ["multipart/form-data; boundary=x", "multipart/form-data; charset=utf-8"]) {
    it(`refuses a body that is not multipart with 400 (${type})`, async () => {
      const { post } = await rowhouseFor({ plugins: [bodies] });

      const { status, text } = await post("/-/form-body", { body: "a=1", headers: { "content-type": type } });

      expect(status).to.equal(400);
      expect(text).to.include("The multipart form could not be read");
    });
  }
});

describe("a compressed body", () => {
  it("is refused with 415 in all formats, and nothing is stored", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: "title text" }, plugins: [bodies] });
    const send = (path: string, type: string, content: string, encoding: string) =>
      rowhouse.post(path, {
        as: "root",
        body: encoding === "gzip" ? gzipSync(content) : content,
        headers: { "content-type": type, "content-encoding": encoding },
      });
    const bodiesByType = [
      ["/library/books/-/insert", "application/json", '{"row": {"title": "Emma"}}'],
      ["/library/books/-/insert", "text/csv", "title\nEmma\n"],
      ["/-/form-body", "application/x-www-form-urlencoded", "a=1"],
    ] as const;
    for (const [path, type, content] of bodiesByType) {
      const refused = await send(path, type, content, "gzip");
      expect(refused.status, type).to.equal(415);
      expect(refused.headers["accept-encoding"]).to.equal("identity");
      expect(refused.text).to.include("send the body uncompressed");
    }
    expect(await rowhouse.rows("books")).to.deep.equal([]);

    const plain = await send("/library/books/-/insert", "application/json", bodiesByType[0][2], "identity");
    expect(plain.status).to.equal(201);
  });
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const usedBytes = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

describe("request.body()", () => {
  it("keeps no piece for each byte of a client that sends one at a time", async () => {
    let heldBytes = 0;
    const request = await requestWithPieces(
      (function* () {
        const before = usedBytes();
        for (let count = 0; count < 200_000; count += 1) yield Buffer.from(new ArrayBuffer(1));
        heldBytes = usedBytes() - before;
      })(),
      "application/json",
    );

    expect((await request.body()).length).to.equal(200_000);
    expect(heldBytes).to.be.below(10_000_000);
  });
});

describe("request.stream()", () => {
  it("joins chunks of one byte, each of which takes hundreds of bytes of memory", async () => {
    const { port } = await rowhouseFor({ plugins: [bodies] });
    const socket = connect(port);
    const head =
      "POST /-/pieces HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    socket.write(`${head}${"1\r\nx\r\n".repeat(20_000)}0\r\n\r\n`);

    const [, pieces, bytes] = /"pieces": (\d+), "bytes": (\d+)/.exec(await text(socket)) ?? [];

    expect(Number(bytes)).to.equal(20_000);
    expect(Number(pieces)).to.be.below(100);
  });
});
