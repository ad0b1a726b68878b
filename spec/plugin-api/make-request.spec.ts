import { expect } from "chai";
import { makeRequest } from "rowhouse/plugin-api/http";
import { rowhouseFor } from "../harness/index.js";

async function* pieces(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const STAYS = new AbortController().signal;

describe("a request that came some other way", () => {
  it("is answered as one from a socket is", async () => {
    const { rowhouse, get } = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });
    const target = "/library/books.json?_shape=array";
    const parts = { method: "GET", target, headers: { host: "localhost" }, encrypted: false };

    const request = makeRequest(rowhouse, {
      ...parts,
      remoteAddress: null,
      signal: () => STAYS,
      body: pieces(),
    });
    const { status, body } = await rowhouse.answer(request);

    expect(status).to.equal(200);
    expect(JSON.parse(String(body))).to.deep.equal((await get(target)).json);
  });

  it("has a body of at most max_post_body_bytes, unless another limit is given", async () => {
    const { rowhouse } = await rowhouseFor({ settings: { max_post_body_bytes: 5 } });
    const request = () =>
      makeRequest(rowhouse, {
        method: "POST",
        target: "/",
        headers: {},
        encrypted: false,
        remoteAddress: null,
        signal: () => STAYS,
        body: pieces("four", "more"),
      });

    const refused = await request()
      .body()
      .catch((error: unknown) => error);

    expect(refused).to.have.property("status", 413);
    expect((await request().body(8)).toString()).to.equal("fourmore");
    expect((await request().body(0)).toString()).to.equal("fourmore");
  });
});

describe("requests from inside", () => {
  it("may be many at once, and Node has nothing to warn of", async () => {
    const { rowhouse } = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", note);

    const replies = await Promise.all(
      Array.from({ length: 40 }, () => rowhouse.fetch("/library/books.json?_size=1")),
    );
    // Warnings are emitted on the next turn.
    await new Promise(setImmediate);
    process.off("warning", note);

    expect(replies.map(({ status }) => status)).to.deep.equal(Array.from({ length: 40 }, () => 200));
    expect(warnings).to.deep.equal([]);
  });
});
