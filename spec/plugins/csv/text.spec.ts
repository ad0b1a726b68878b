import { expect } from "chai";
import { Real } from "rowhouse/plugin-api/engine";
import { Labelled, type Cell } from "rowhouse/plugin-api/http";
import { headingLine, rowLine } from "../../../plugins/csv/lines.js";

const noLabels = new Set<string>();

describe("a line of CSV", () => {
  const cases: readonly (readonly [cells: readonly Cell[], line: string])[] = [
    [[1, "Emma"], "1,Emma\r\n"],
    [["a,b", 'say "hi"'], '"a,b","say ""hi"""\r\n'],
    [["a\nb", "c\rd"], '"a\nb","c\rd"\r\n'],
    [[" lead", "tab\t"], " lead,tab\t\r\n"],
    [[null, ""], ",\r\n"],
    [[null], '""\r\n'],
    [[9007199254740993n, new Real(12)], "9007199254740993,12.0\r\n"],
    [[new Real(Infinity), new Real(1e16)], "inf,1e+16\r\n"],
  ];
  for (const [cells, line] of cases) {
    it(`is ${JSON.stringify(line)}`, () => {
      const columns = { columns: cells.map((_, place) => `c${place}`), labelled: noLabels };

      expect(rowLine(columns, cells, 0, () => "link")).to.equal(line);
    });
  }

  it("has each label behind its value, and nothing behind a key without a row", () => {
    const columns = { columns: ["id", "author"], labelled: new Set(["author"]) };

    expect(headingLine(columns)).to.equal("id,author,author_label\r\n");
    expect(rowLine(columns, [1, new Labelled(7, "Austen")], 0, () => "")).to.equal("1,7,Austen\r\n");
    expect(rowLine(columns, [2, 8], 0, () => "")).to.equal("2,8,\r\n");
  });

  it("links bytes under the name of their own column, labels or not", () => {
    const columns = { columns: ["author", "scan"], labelled: new Set(["author"]) };
    const bytes = new Uint8Array([255]);

    const line = rowLine(columns, [new Labelled(7, null), bytes], 3, (_, column, row) => `${column}/${row}`);

    expect(line).to.equal("7,,scan/3\r\n");
  });
});
