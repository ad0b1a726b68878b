import { expect } from "chai";
import { Progress } from "../../../../plugins/write-api/command/progress.js";

/** Everything that a progress display writes, with a clock that shows `times` in turn. */
function drawn(isTTY: boolean, times: readonly number[]): string[] {
  const lines: string[] = [];
  let at = 0;
  const screen = { isTTY, write: (text: string) => lines.push(text) };
  const progress = new Progress(screen, () => times[Math.min(at, times.length - 1)] ?? 0);
  for (const [index] of times.entries()) {
    at = index;
    progress.show("Reading", 0.5, 12_345);
  }
  progress.clear();
  return lines;
}

describe("the progress of an insertion", () => {
  it("is drawn over and over in one line, which goes away", () => {
    const line = `\r\u001b[KReading [${"#".repeat(15)}${".".repeat(15)}]  50 %  12,345 rows`;

    expect(drawn(true, [1, 200])).to.deep.equal([line, line, "\r\u001b[K"]);
  });

  it("is drawn ten times a second at most", () => {
    expect(drawn(true, [1, 50, 99, 102])).to.have.length(3);
  });

  it("is not drawn where there is no terminal", () => {
    expect(drawn(false, [1, 200])).to.deep.equal([]);
  });
});
