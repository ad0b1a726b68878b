import { expect } from "chai";
import { encodeFrame, FrameReader } from "../../../../plugins/sqlite/isolation/frames.js";

const frames = [
  { head: "one", body: "" },
  { head: "{}", body: "rows" },
  { head: "", body: "x".repeat(70_000) },
  { head: "h".repeat(300), body: "é".repeat(40_000) },
  { head: "last", body: "\0\u001e" },
];

const encoded = Buffer.concat(
  frames.flatMap(({ head, body }) =>
    encodeFrame(Buffer.from(head), body === "" ? undefined : Buffer.from(body)),
  ),
);

function read(pieceBytes: number): readonly object[] {
  const reader = new FrameReader();
  const found: object[] = [];
  for (let at = 0; at < encoded.length; at += pieceBytes) {
    for (const { head, body } of reader.push(encoded.subarray(at, at + pieceBytes))) {
      found.push({ head: head.toString(), body: body.toString() });
    }
  }
  return found;
}

describe("frames on a pipe", () => {
  for (const pieceBytes of [1, 3, 7, 8, 9, 4_096, 65_536, encoded.length]) {
    it(`come out as they went in, in pieces of ${pieceBytes} bytes`, () => {
      expect(read(pieceBytes)).to.deep.equal(frames);
    });
  }

  it("come out as soon as they are complete", () => {
    const reader = new FrameReader();
    const [first = Buffer.alloc(0)] = encodeFrame(Buffer.from("head"), Buffer.from("body"));

    expect(reader.push(first.subarray(0, -1))).to.have.length(0);
    expect(reader.push(Buffer.concat([first.subarray(-1), first, first.subarray(0, 5)]))).to.have.length(2);
    expect(reader.push(first.subarray(5))).to.have.length(1);
  });
});
