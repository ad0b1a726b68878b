import { expect } from "chai";
import { workplace } from "../cli/command.js";

const EMOJI = 300_000;

describe("A body that is sent in pieces", () => {
  const place = workplace();

  it("has its length, and no character is cut between two pieces", async () => {
    place.write({
      "plugins/large.mjs": `export default {
        name: "large",
        register_routes: () => [
          {
            name: "large",
            path: "/-/large",
            target: "instance",
            // Characters of two halves, at odd places.
            view: () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "a" + "😀".repeat(${EMOJI}) }),
          },
          {
            name: "bytes",
            path: "/-/bytes",
            target: "instance",
            view: () => ({ status: 200, headers: {}, body: new Uint8Array(3_000_000).fill(7) }),
          },
        ],
      };`,
    });
    const server = await place.serve(["--no-config", "--memory", "--plugins-dir", "plugins"]);

    const text = await fetch(`${server.url}/-/large`, { headers: { "accept-encoding": "identity" } });
    const bytes = await fetch(`${server.url}/-/bytes`);
    const head = await fetch(`${server.url}/-/large`, {
      method: "HEAD",
      headers: { "accept-encoding": "identity" },
    });

    expect(text.headers.get("content-length")).to.equal(String(1 + 4 * EMOJI));
    expect(head.headers.get("content-length")).to.equal(String(1 + 4 * EMOJI));
    expect((await text.text()) === "a" + "😀".repeat(EMOJI)).to.equal(true);
    expect(Buffer.from(await bytes.arrayBuffer()).equals(Buffer.alloc(3_000_000, 7))).to.equal(true);
  });
});
