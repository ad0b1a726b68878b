import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const words = Array.from({ length: 90 }, (_, index) => ({ id: index, word: "repetition" }));
const library = () => rowhouseFor({ tables: { words } });
const PATH = "/library/words.json?_nosuggest=1&_shape=array";

describe("compression", () => {
  it("changes the transfer, not the text", async () => {
    const rowhouse = await library();
    const plain = await rowhouse.get(PATH);

    const br = await rowhouse.get(PATH, { headers: { "accept-encoding": "br" } });
    const gzip = await rowhouse.get(PATH, { headers: { "accept-encoding": "gzip" } });

    expect(plain.headers["content-encoding"]).to.equal(undefined);
    expect(plain.headers.vary).to.match(/\bAccept-Encoding\b/);
    expect(brotliDecompressSync(br.bytes).toString()).to.equal(plain.text);
    expect(gunzipSync(gzip.bytes).toString()).to.equal(plain.text);
    expect(br.bytes.length).to.be.below(plain.bytes.length / 2);
  });

  it("sends cached pages in each coding, as often as they are requested", async () => {
    const rowhouse = await library();
    const pages = [PATH, `${PATH}&_size=80`, "/library/words?_nosuggest=1"];
    const plain = new Map(
      await Promise.all(pages.map(async (path) => [path, await rowhouse.get(path)] as const)),
    );

    for (const [path, { text }] of [...plain, ...plain]) {
      const br = await rowhouse.get(path, { headers: { "accept-encoding": "br" } });
      const gzip = await rowhouse.get(path, { headers: { "accept-encoding": "gzip" } });
      expect(brotliDecompressSync(br.bytes).toString()).to.equal(text);
      expect(gunzipSync(gzip.bytes).toString()).to.equal(text);
      expect((await rowhouse.get(path)).text).to.equal(text);
    }
  });

  it("covers streams", async () => {
    const rowhouse = await library();
    const path = "/library/words.csv?_stream=1";

    const reply = await rowhouse.get(path, { headers: { "accept-encoding": "gzip" } });

    expect(gunzipSync(reply.bytes).toString()).to.equal((await rowhouse.get(path)).text);
  });

  it("leaves out what is short, and bytes", async () => {
    const rowhouse = await library();
    const headers = { "accept-encoding": "br, gzip" };

    for (const path of ["/library.json?sql=select+1", "/library/words/1.blob?_blob_column=word"]) {
      expect((await rowhouse.get(path, { headers })).headers["content-encoding"], path).to.equal(undefined);
    }
  });

  it("compresses public replies for signed-in actors", async () => {
    const rowhouse = await library();
    const page = (await rowhouse.get("/")).text;
    const stylesheet = /href="(\/-\/static\/app\.css\?\w+)"/.exec(page)?.[1] ?? "";

    const { headers } = await rowhouse.get(stylesheet, { as: "ann", headers: { "accept-encoding": "br" } });

    expect(headers["content-encoding"]).to.equal("br");
  });
});

describe("the length of a page that a cookie opened", () => {
  const gzip = { "accept-encoding": "gzip, deflate, br" };
  const pages = [PATH, "/library/words", "/-/permissions"];

  for (const path of pages) {
    it(`is that of compressed text: ${path}`, async () => {
      const rowhouse = await library();

      const { headers, bytes, text } = await rowhouse.get(path, { as: "root", headers: gzip });

      expect(headers["content-encoding"]).to.equal("gzip");
      expect(Number(headers["content-length"])).to.equal(bytes.length);
      expect(gunzipSync(bytes).toString()).to.include(path === PATH ? "repetition" : 'name="csrftoken"');
      expect(text).not.to.include("repetition");
    });
  }

  it("is a little random, whole or in a stream, and the text stays", async () => {
    const rowhouse = await library();
    for (const path of [PATH, "/library/words.csv?_stream=1"]) {
      const replies = [];
      for (let times = 0; times < 12; times += 1) {
        replies.push(await rowhouse.get(path, { as: "ann", headers: gzip }));
      }

      expect(new Set(replies.map(({ bytes }) => bytes.length)).size, path).to.be.greaterThan(3);
      expect(new Set(replies.map(({ bytes }) => gunzipSync(bytes).toString())).size, path).to.equal(1);
    }
  });

  it("is not compressed for requests of other sites", async () => {
    const rowhouse = await library();
    const asked = async (path: string, headers: Readonly<Record<string, string>>) =>
      (await rowhouse.get(path, { as: "ann", headers: { ...gzip, ...headers } })).headers["content-encoding"];

    for (const path of pages.slice(0, 2)) {
      for (const site of ["cross-site", "same-site", "something-new"]) {
        expect(await asked(path, { "sec-fetch-site": site }), `${path} ${site}`).to.equal(undefined);
      }
      for (const site of ["same-origin", "none"]) {
        expect(await asked(path, { "sec-fetch-site": site }), `${path} ${site}`).to.equal("gzip");
      }
      // An attacker on the network sees only the length.
      expect(await asked(path, { "x-forwarded-proto": "https" }), path).to.equal(undefined);
    }
  });

  it("has its exact length for bearer tokens, which browsers do not add themselves", async () => {
    const rowhouse = await library();
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");
    const headers = { ...gzip, "sec-fetch-site": "cross-site" };

    expect((await rowhouse.get(PATH, { headers, token })).headers["content-encoding"]).to.equal("br");
  });

  it("is that of the text as it is where a secret is shown", async () => {
    const rowhouse = await library();

    const form = await rowhouse.get("/-/create-token", { as: "ann", headers: gzip });
    const shown = await rowhouse.post("/-/create-token", {
      as: "ann",
      headers: gzip,
      form: { expire_type: "" },
    });

    expect(form.headers["content-encoding"]).to.equal("gzip");
    expect(shown.text).to.include("rhtok_");
    expect(shown.headers["content-encoding"]).to.equal(undefined);
    expect(shown.headers["cache-control"]).to.equal("no-store, no-transform");
  });
});
