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

  it("lets nobody weigh a page that a cookie opened, and compresses what a token opened", async () => {
    const rowhouse = await library();
    const headers = { "accept-encoding": "gzip" };
    const token = await rowhouse.rowhouse.service("tokens").createToken("ann");

    const byCookie = await rowhouse.get(PATH, { headers, as: "ann" });
    const byToken = await rowhouse.get(PATH, { headers, token });

    expect(byCookie.headers["content-encoding"]).to.equal(undefined);
    expect(byToken.headers["content-encoding"]).to.equal("gzip");
  });

  it("compresses for those who are signed in what is the same for everybody", async () => {
    const rowhouse = await library();
    const page = (await rowhouse.get("/")).text;
    const stylesheet = /href="(\/-\/static\/app\.css\?\w+)"/.exec(page)?.[1] ?? "";

    const { headers } = await rowhouse.get(stylesheet, { as: "ann", headers: { "accept-encoding": "br" } });

    expect(headers["content-encoding"]).to.equal("br");
  });

  it("lets nobody weigh a page with a form token", async () => {
    const rowhouse = await library();

    const { headers } = await rowhouse.get("/-/permissions", {
      headers: { "accept-encoding": "gzip" },
      as: "root",
    });

    expect(headers["content-encoding"]).to.equal(undefined);
  });
});
