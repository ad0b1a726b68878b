import { isUtf8 } from "node:buffer";
import { expect } from "chai";
import * as fc from "fast-check";
import { blobJson } from "rowhouse/plugin-api/json";

const characters = fc.constantFrom("a", "\u00e9", "\u20ac", "\u{1f600}", "\ufffd", "\ufeff");
const texts = fc.array(characters, { minLength: 60, maxLength: 120 }).map((list) => list.join(""));

describe("a BLOB as JSON", () => {
  it("is a text if its bytes are UTF-8, wherever its characters end", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(JSON.parse(blobJson(Buffer.from(text)))).to.equal(text);
      }),
      { numRuns: 500 },
    );
  });

  it("is base64 if one byte is not, early or late", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 0x80, max: 0xff }), (text, place, byte) => {
        const bytes = Buffer.from(text);
        bytes[place % bytes.length] = byte;
        const made = JSON.parse(blobJson(bytes)) as string | { readonly encoded: string };

        if (isUtf8(bytes)) expect(made).to.equal(bytes.toString("utf8"));
        else expect(made).to.deep.equal({ $base64: true, encoded: bytes.toString("base64") });
      }),
      { numRuns: 500 },
    );
  });
});
