import { expect } from "chai";
import * as fc from "fast-check";
import { CsvRecords, InvalidCsv } from "rowhouse/plugin-api/csv";

type Fields = readonly (string | null)[];

function read(pieces: readonly string[], delimiter = ","): readonly Fields[] {
  const records = new CsvRecords(delimiter);
  return [...pieces.flatMap((piece) => records.add(piece)), ...records.end()].map(({ fields }) => fields);
}

const written = (fields: Fields): string =>
  fields.map((field) => (field === null ? "" : `"${field.replaceAll('"', '""')}"`)).join(",");

describe("reading CSV in pieces", () => {
  const cases: [text: string, records: Fields[]][] = [
    [
      "a,b\n1,2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ["a\r\n\r\n\nb\r\n", [["a"], ["b"]]],
    [',""\n', [[null, ""]]],
    ['"a,b","c\r\nd"\r\n', [["a,b", "c\r\nd"]]],
    ['"say ""hi""",x"y\n', [['say "hi"', 'x"y']]],
    ['a,"b"', [["a", "b"]]],
    ["", []],
    [
      'a,b\r"1\r2",\r,"3"\r',
      [
        ["a", "b"],
        ["1\r2", null],
        [null, "3"],
      ],
    ],
    [
      '"a\rb",c\n1,2',
      [
        ["a\rb", "c"],
        ["1", "2"],
      ],
    ],
    ["a\r", [["a"]]],
  ];
  for (const [text, records] of cases) {
    it(`finds what is in ${JSON.stringify(text)}, wherever it is cut`, () => {
      expect(read([text])).to.deep.equal(records);
      expect(read([...text])).to.deep.equal(records);
    });
  }

  it("finds every text that was written, wherever it is cut", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", "é") });
    const fields = fc.array(fc.option(texts), { minLength: 2, maxLength: 4 });
    const property = fc.property(fc.array(fields), fc.integer({ min: 1, max: 7 }), (records, size) => {
      const text = records.map((one) => `${written(one)}\r\n`).join("");
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      expect(read(pieces)).to.deep.equal(records);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("counts lines as an editor does", () => {
    const records = new CsvRecords(",");

    const lines = [...records.add('a\n"b\nc"\n\nd'), ...records.end()].map(({ line }) => line);

    expect(lines).to.deep.equal([1, 2, 5]);
  });

  it("counts lines that end with a carriage return alone", () => {
    const records = new CsvRecords(",");

    const lines = [...records.add('a\r"b\rc"\r\rd'), ...records.end()].map(({ line }) => line);

    expect(lines).to.deep.equal([1, 2, 5]);
  });

  it("refuses a quote that is never closed, and text behind one that is", () => {
    expect(() => read(['a\nb,"c\nd'])).to.throw(InvalidCsv, "the quote in line 2 is never closed");
    expect(() => read(['a\n"b"c\n'])).to.throw(InvalidCsv, "there is text behind a closing quote in line 2");
  });

  it("refuses more fields than any table has columns", () => {
    const most = ",".repeat(32_766);

    expect(read([`a${most}\n"a"${most}\n`]).map(({ length }) => length)).to.deep.equal([32_767, 32_767]);
    for (const first of ["a", '"a"'])
      expect(() => read([`b\n${first}${most},\n`])).to.throw(
        InvalidCsv,
        "the record in line 2 has more than 32767 fields",
      );
  });

  it("reads long fields with many quotes exactly", () => {
    const field = '"é\ufeff😀""'.repeat(20_000);

    expect(read([written([field, `\ufeff${field}`]), "\n"])).to.deep.equal([[field, `\ufeff${field}`]]);
  });
});
