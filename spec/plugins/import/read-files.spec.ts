import { expect } from "chai";
import { translator } from "rowhouse/plugin-api/html";
import { kindOf, typeFor } from "../../../plugins/import/client/check/kinds.js";
import { lineMaker, problemsIn, type PlannedColumn } from "../../../plugins/import/client/check/plan.js";
import { scan, type Scan } from "../../../plugins/import/client/check/scan.js";
import { openFile, sourceOf, type Reading } from "../../../plugins/import/client/read/open.js";
import { scriptEnglish } from "../../../plugins/import/client/english.js";
import type { Message } from "../../../plugins/import/client/message.js";
import { JsonValue, UnreadableFile, type Source } from "../../../plugins/import/client/read/source.js";
import { dateKindOf, isoDate } from "../../../plugins/import/client/xlsx/dates.js";
import { InsertedKeys } from "../../../plugins/import/client/send/inserted-keys.js";
import { workbook, workbookOf } from "./workbook.js";

const read = async (
  content: string | Buffer,
  name = "file.csv",
  change: Partial<Reading> = {},
): Promise<{ readonly reading: Reading; readonly source: Source; readonly found: Scan }> => {
  const opened = await openFile({ name, blob: new Blob([Uint8Array.from(Buffer.from(content))]) });
  const reading = { ...opened.reading, ...change };
  const source = await sourceOf(opened, reading);
  const found = await scan(source, { signal: new AbortController().signal, onProgress: () => undefined });
  return { reading, source, found };
};

const cells = ({ first }: Scan): unknown[] =>
  first.map((row) => row.cells.map((cell) => (cell instanceof JsonValue ? { json: cell.json } : cell)));

const types = ({ facts }: Scan, mixesNumbers = true): string[] =>
  facts.map(({ kinds }) => typeFor(kinds.keys(), mixesNumbers));

const { t } = translator([{ language: "en", texts: scriptEnglish }], "en");

function inEnglish(message: Message | null): string | null {
  if (message === null) return null;
  const values = Object.entries(message.values).map(([name, value]) => [
    name,
    typeof value === "object" ? (inEnglish(value) ?? "") : value,
  ]);
  return t(message.key, Object.fromEntries(values));
}

const cell = (place: string, text: string): string =>
  `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;

describe("a file to import", () => {
  it("has its delimiter, encoding and header detected", async () => {
    const french = Buffer.from('Nom;Prix\nCaf\xe9;1,5\nTh\xe9;"2;5"\n', "latin1");
    const readings = [
      await read(french),
      await read("\ufeffa\tb\n1\t2\n", "x.txt"),
      await read(Buffer.from("\ufeffa|b\n1|2\n", "utf16le")),
      await read("1,2\n3,4\n"),
      await read("a\n1\n"),
    ];

    expect(
      readings.map(({ reading: { encoding, delimiter, header } }) => [encoding, delimiter, header]),
    ).to.deep.equal([
      ["windows-1252", ";", true],
      ["utf-8", "\t", true],
      ["utf-16le", "|", true],
      ["utf-8", ",", false],
      ["utf-8", ",", true],
    ]);
    expect(readings.map(({ found }) => found.columns)).to.deep.equal([
      ["Nom", "Prix"],
      ["a", "b"],
      ["a", "b"],
      ["column_1", "column_2"],
      ["a"],
    ]);
    expect(cells((await read(french)).found)).to.deep.equal([
      ["Café", "1,5"],
      ["Thé", "2;5"],
    ]);
  });

  it("may begin with a line that names its delimiter, as files for Excel do", async () => {
    const readings = [
      await read("sep=;\r\na;b\r\n1,5;2\r\n"),
      await read("sep=,\na\n1\n"),
      await read("sep=^\n1^2\n"),
      await read("sep=;\na;b\n", "file.csv", { delimiter: "," }),
    ];

    expect(
      readings.map(({ reading, found }) => [reading.delimiter, found.columns, cells(found)]),
    ).to.deep.equal([
      [";", ["a", "b"], [["1,5", "2"]]],
      [",", ["a"], [["1"]]],
      ["^", ["column_1", "column_2"], [["1", "2"]]],
      [",", ["a;b"], []],
    ]);
  });

  it("may be short UTF-16 without a byte order mark, and UTF-8 with zeros", async () => {
    const readings = [
      await read(Buffer.from("a,b\n1,2\n", "utf16le")),
      await read(Buffer.from("a,b\n1,2\n", "utf16le").swap16()),
      await read(Buffer.from(`name,count\n${"一,1\n".repeat(20)}`, "utf16le")),
      await read("a,b\n1\0,2\n3,4\n"),
    ];

    expect(readings.map(({ reading: { encoding }, found }) => [encoding, cells(found)[0]])).to.deep.equal([
      ["utf-16le", ["1", "2"]],
      ["utf-16be", ["1", "2"]],
      ["utf-16le", ["一", "1"]],
      ["utf-8", ["1\0", "2"]],
    ]);
  });

  it("tells empty fields from empty texts, and names columns that have no name of their own", async () => {
    const { found } = await read('a,,a\n1,"",\n2,x\n');

    expect(found.columns).to.deep.equal(["a", "column_2", "a_2"]);
    expect(cells(found)[0]).to.deep.equal(["1", "", null]);
    expect(found.broken.first.map(({ place, problem }) => [place, inEnglish(problem)])).to.deep.equal([
      [3, "has 2 fields, not 3"],
    ]);
  });

  it("may be a list of objects, one object after the other, or pretty-printed", async () => {
    const objects = '{"id": 9007199254740993, "tags": [1,\n 2], "x": null}';
    for (const text of [
      `[${objects}, {"id": 1.10}]`,
      `${objects.replace("\n", "")}\n{"id": 1.10}\n`,
      `${objects}\n\n{"id":\n1.10}`,
    ]) {
      const { found } = await read(text, "file.json");

      expect(found.columns).to.deep.equal(["id", "tags", "x"]);
      expect(cells(found)).to.deep.equal([
        [
          { json: "9007199254740993" },
          { json: found.first[0]?.cells[1] instanceof JsonValue ? found.first[0].cells[1].json : "" },
          null,
        ],
        [{ json: "1.10" }],
      ]);
    }
    const { found } = await read('[{"a": 1}, 5, {"a" 1}]', "file.json");
    expect(found.broken.first.map(({ problem }) => inEnglish(problem))).to.deep.equal([
      "is not an object",
      "is not valid JSON",
    ]);
  });

  it("loses no objects that follow each other without a delimiter, and no line breaks in texts", async () => {
    for (const [text, count] of [
      ['[{"a": 1} {"a": 2}, {"a": 3}]', 2],
      ['{"a": 1}{"a": 2}\n{"a": 3}', 2],
      ['{"a": 1} x\n{"a": 3}', 3],
      ['[{"a": "1\n2"}, {"a": 3}]', 2],
    ] as const) {
      const { found } = await read(text, "file.json");

      expect([found.rowCount, cells(found).at(-1)], text).to.deep.equal([count, [{ json: "3" }]]);
      expect(inEnglish(found.broken.first[0]?.problem ?? null), text).to.match(/^is not /);
    }
    const other = await read('[{"a": 1}}', "file.json").catch((error: unknown) => error);
    expect(other).to.be.instanceOf(UnreadableFile);
  });

  it("has different names for members that differ in case or are empty, as columns need them", async () => {
    const { found } = await read('[{"id": 1, "ID": 2}, {"": 3, "id": 4}]', "file.json");

    expect(found.columns).to.deep.equal(["id", "ID_2", "column_3"]);
    expect(cells(found)[0]).to.deep.equal([{ json: "1" }, { json: "2" }]);
  });

  it("may be GeoJSON, whose features are rows", async () => {
    const { found } = await read(
      `{"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": 7, "properties": {"name": "A", "n": 1.10}, "geometry": {"type": "Point",
          "coordinates": [13.40, 52.5]}},
        {"type": "Feature", "properties": null, "geometry": null}, 5]}`,
      "places.geojson",
    );

    expect(found.columns).to.deep.equal(["id", "name", "n", "geometry"]);
    expect(types(found)).to.deep.equal(["integer", "text", "float", "text"]);
    expect(cells(found).slice(0, 2)).to.deep.equal([
      [
        { json: "7" },
        "A",
        { json: "1.10" },
        { json: found.first[0]?.cells[3] instanceof JsonValue ? found.first[0].cells[3].json : "" },
      ],
      [undefined, undefined, undefined, null],
    ]);
    expect(found.broken.first.map(({ place, problem }) => [place, inEnglish(problem)])).to.deep.equal([
      [3, "is not an object"],
    ]);
    // Other objects with such words are rows as they are.
    const other = await read('{"type": "FeatureCollection", "features": 1}', "file.json");
    expect(other.found.columns).to.deep.equal(["type", "features"]);
  });

  it("has the characters of lists and objects that its JSON writes as escapes", async () => {
    const names = String.raw`["\u00c5land", "\ud83d\ude00", "\\u00c5", "\ud83d", "a\nb\u0022\u0000", 1.10]`;
    const { found } = await read(`{"names": ${names}, "text": "\\u00c5"}`, "file.json");

    expect(cells(found)).to.deep.equal([
      [{ json: String.raw`["Åland", "😀", "\\u00c5", "\ud83d", "a\nb\u0022\u0000", 1.10]` }, "Å"],
    ]);
  });

  it("may have texts and BLOBs of many megabytes", async () => {
    const long = "A".repeat(12_000_000);
    const row = { text: `${long}\\`, blob: { $base64: true, encoded: long } };
    const escapes = `{"text": "${String.raw`\u00e9`.repeat(2_000_000)}"}`;
    const { found } = await read(`[${JSON.stringify(row)}, ${escapes}]`, "long.json");

    expect(found.broken.count).to.equal(0);
    expect(types(found)).to.deep.equal(["text", "blob"]);
  });

  it("may be a workbook, whose dates are ISO 8601 and whose decimals are the numbers that it shows", async () => {
    const { found } = await read(workbook(), "sales.xlsx");

    expect(found.columns).to.deep.equal(["code", "when", "unit", "on", "big"]);
    expect(cells(found)).to.deep.equal([
      ["007", "2024-03-01", { json: "0.1" }, { json: "true" }, { json: "12345678901234567890" }],
      [null, "2024-03-01T09:30:00", { json: "0.07" }, null, null],
    ]);
    expect(types(found)).to.deep.equal(["text", "text", "float", "integer", "text"]);
    expect(found.first.map(({ place }) => place)).to.deep.equal([4, 5]);
  });

  it("may be a workbook of another program, with empty values, words and escapes", async () => {
    const { found } = await read(
      workbookOf(
        '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>' +
          '<row r="2"><c r="A2"><v></v></c><c r="B2" t="b"><v>true</v></c></row>' +
          '<row r="3"><c r="a3"><v> 5 </v></c><c r="b3" t="b"><v>0</v></c></row>' +
          '<row r="4"><c r="A4"><v/></c><c r="B4" t="str"><v>x_x000D_y</v></c></row>' +
          '<row r="5"><c r="B5" t="inlineStr"><is><t><![CDATA[1 < 2]]>&constructor;&#x110000;</t></is></c></row>',
      ),
      "other.xlsx",
    );

    expect(cells(found)).to.deep.equal([
      [null, { json: "true" }],
      [{ json: "5" }, { json: "false" }],
      [null, "x\ry"],
      [null, "1 < 2&constructor;&#x110000;"],
    ]);
    expect(types(found)).to.deep.equal(["integer", "text"]);
  });

  it("may be a workbook of LibreOffice, for which 1900 is no leap year", async () => {
    const rows = ["61", "60", "46", "-36508"]
      .map((value) => `<row><c s="1"><v>${value}</v></c></row>`)
      .join("");
    const styles = '<styleSheet><cellXfs><xf/><xf numFmtId="14"/></cellXfs></styleSheet>';
    const program = "<Properties><Application>LibreOffice/7.4.7.2$Linux_X86_64</Application></Properties>";
    const readings = await Promise.all(
      ["<Properties/>", program].map((properties) =>
        read(workbookOf(rows, { "xl/styles.xml": styles, "docProps/app.xml": properties }), "old.xlsx", {
          header: false,
        }),
      ),
    );

    expect(readings.map(({ found }) => cells(found).flat())).to.deep.equal([
      ["1900-03-01", "1900-02-28", "1900-02-15", "1800-01-15"],
      ["1900-03-01", "1900-02-28", "1900-02-14", "1800-01-15"],
    ]);
  });

  it("may be a workbook with large numbers, which stay numbers", async () => {
    const values = ["1E+20", "1.5E+3", "9.0071992547409931E+15", "1E+300", "5E-324"];
    const { found } = await read(
      workbookOf(
        values
          .map((value, row) => `<row r="${row + 1}"><c r="A${row + 1}"><v>${value}</v></c></row>`)
          .join(""),
      ),
      "large.xlsx",
    );

    expect(cells(found)).to.deep.equal(
      ["100000000000000000000.0", "1500", "9007199254740994.0", "1e+300", "5e-324"].map((json) => [{ json }]),
    );
    expect(types(found)).to.deep.equal(["float"]);
  });

  it("may be a workbook with comments, and with CDATA sections that contain tags", async () => {
    const long = '<c r="A9"><v>9</v></c></row>'.repeat(20_000);
    const { found } = await read(
      workbookOf(
        `<row r="1">${cell("A1", "a")}<!--${cell("B1", "b")}--></row>` +
          `<!--<row r="2">${cell("A2", "hidden")}</row>--><!----><!--${long}-->` +
          `<row r="3">${cell("A3", "x<![CDATA[</t></is></c></row><!-- & -->]]>y<!-- z -->&lt;!--")}</row>`,
      ),
      "comments.xlsx",
    );

    expect([found.columns, cells(found)]).to.deep.equal([["a"], [["x</t></is></c></row><!-- & -->y<!--"]]]);
  });

  it("is a damaged workbook if a checksum is wrong, a text is missing or a column is too far", async () => {
    const whole = workbook();
    const inDirectory = whole.lastIndexOf("xl/worksheets/sheet1.xml");
    const other = Buffer.from(whole);
    other.writeUInt32LE(1, inDirectory - 30);
    for (const [name, content] of [
      ["checksum", other],
      ["directory", Buffer.concat([whole.subarray(0, inDirectory + 5), whole.subarray(-22)])],
      ["texts", workbookOf('<row r="1"><c r="A1" t="s"><v>0</v></c></row>')],
      ["columns", workbookOf('<row r="1"><c r="ZZZZZZ1"><v>0</v></c></row>')],
    ] as const) {
      const error: unknown = await read(content, "damaged.xlsx").catch((thrown: unknown) => thrown);
      expect(error instanceof UnreadableFile && inEnglish(error.reason), name).to.equal(
        "The workbook is damaged, or is not an XLSX file.",
      );
    }
  });

  it("says why it can't be read", async () => {
    const refusals: unknown[] = [];
    for (const [content, name] of [
      [Buffer.from("d0cf11e0a1b11ae1", "hex"), "old.xls"],
      [Buffer.from("PK\u0003\u0004 no"), "cut.xlsx"],
      ['a\n"b', "open.csv"],
      ["[1, 2", "cut.json"],
      [Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), "picture.png"],
    ] as const) {
      await read(content, name).catch((error: unknown) =>
        refusals.push(error instanceof UnreadableFile ? inEnglish(error.reason) : error),
      );
    }

    expect(refusals).to.deep.equal([
      "The workbook has the old format (XLS) or a password. Save it as XLSX without a password.",
      "The workbook is damaged, or is not an XLSX file.",
      "The file is not what it seems: the quote in line 2 is never closed.",
      "The JSON ends too early.",
      "The file is not text. Files can be CSV, TSV, JSON or Excel workbooks (XLSX). If it is text, choose its encoding.",
    ]);
  });
});

describe("the type of a column", () => {
  it("holds all values exactly", async () => {
    const { found } = await read(
      "a,b,c,d,e,f\n1,1.5,007,9007199254740993,0.1234567890123456789,\n2,3,8,1.5,1,\n",
    );

    expect(types(found)).to.deep.equal(["integer", "float", "text", "integer", "text", "text"]);
    // PostgreSQL has no type for large integers beside decimals that these pages create.
    expect(types(found, false)[3]).to.equal("text");
    // Also as JSON and CSV of Rowhouse have them, and as Python writes them.
    const doubles =
      "0.3333333333333333 199999.66666666666 1.7976931348623157e+308 5e-324 1.50 1E5 " +
      "1.2345678901234568e+17 1000000000000000.0 1.2345678901234566e-07 -2.0e+20";
    expect(new Set(doubles.split(" ").map(kindOf))).to.deep.equal(new Set(["real"]));
    const changed = [
      "12345.123456789012345",
      "4.94e-324",
      "0.33333333333333331",
      "100000000000000000000",
      "12E400",
      "-1e-400",
    ];
    expect(changed.map(kindOf)).to.deep.equal(changed.map(() => "changed"));
    expect(kindOf("0.0e-400")).to.equal("real");
    expect(["-0", "-0.0", "0"].map(kindOf)).to.deep.equal(["real", "real", "integer"]);
    expect(["1", "-1e5", "+1", "1.", "9223372036854775808", "1-2"].map(kindOf)).to.deep.equal([
      "integer",
      "real",
      "changed",
      "changed",
      "changed",
      "text",
    ]);
  });

  it("is that of bytes if some are, also beside texts, as exports have them", () => {
    expect(typeFor(["text", "blob", "integer"], true)).to.equal("blob");
  });

  it("is one of dates for the formats of workbooks that show dates", () => {
    expect([
      dateKindOf(14, null),
      dateKindOf(22, null),
      dateKindOf(165, '"day "0'),
      dateKindOf(165, "[Red]0"),
    ]).to.deep.equal(["date", "datetime", null, null]);
    expect([
      dateKindOf(170, "mmm yy"),
      dateKindOf(170, "[h]:mm"),
      dateKindOf(170, "[mm]"),
      dateKindOf(170, "h:mm AM/PM"),
    ]).to.deep.equal(["date", "duration", "duration", "time"]);
    expect([
      isoDate(1, "date", "excel-1900"),
      isoDate(61, "date", "excel-1900"),
      isoDate(0, "date", "1904"),
    ]).to.deep.equal(["1900-01-01", "1900-03-01", "1904-01-01"]);
    expect([isoDate(0.5, "time", "excel-1900"), isoDate(1.25, "duration", "excel-1900")]).to.deep.equal([
      "12:00:00",
      "30:00:00",
    ]);
  });

  it("is also one before 1900, and a negative duration, as LibreOffice writes them", () => {
    expect([
      isoDate(-36508, "date", "excel-1900"),
      isoDate(-1401.5, "datetime", "1904"),
      isoDate(1, "date", "1900"),
      isoDate(-115_858, "date", "excel-1900"),
      isoDate(-115_859, "date", "excel-1900"),
      isoDate(-0.0625, "duration", "excel-1900"),
      isoDate(1 / 24 + 0.25 / 86_400, "duration", "excel-1900"),
      isoDate(-0.0625, "time", "excel-1900"),
    ]).to.deep.equal([
      "1800-01-15",
      "1900-02-28T12:00:00",
      "1899-12-31",
      "1582-10-15",
      null,
      "-01:30:00",
      "01:00:00.250",
      null,
    ]);
  });

  it("is that of the date if a format shows its time only, and of numbers behind the last day", () => {
    expect([
      isoDate(45352.5, "time", "excel-1900"),
      isoDate(2_958_465, "date", "excel-1900"),
      isoDate(2_958_466, "date", "excel-1900"),
      isoDate(2_958_465, "date", "1904"),
    ]).to.deep.equal(["2024-03-01T12:00:00", "9999-12-31", null, null]);
  });
});

const planned = (name: string, position: number, affinity: PlannedColumn["affinity"]): PlannedColumn => ({
  position,
  name,
  affinity,
  required: name === "id",
  newType: null,
});

describe("the rows of a file", () => {
  const columns = [planned("id", 0, "integer"), planned("note", 1, "text"), planned("price", 2, "real")];

  it("become lines of JSON with exact values", async () => {
    const { found } = await read("id,note,price\n9007199254740993,007,1.50\n1,,abc\n");
    const lines = (problems: "keep" | "skip", blank: "null" | "empty" | "default"): (string | null)[] =>
      found.first.map(lineMaker({ columns, blank, problems }));

    expect(lines("keep", "null")).to.deep.equal([
      '{"id":9007199254740993,"note":"007","price":1.50}',
      '{"id":1,"note":null,"price":"abc"}',
    ]);
    expect(lines("skip", "empty")).to.deep.equal([lines("keep", "null")[0], null]);
    expect(lines("keep", "default")[1]).to.equal('{"id":1,"price":"abc"}');
  });

  it("keep the sign of zero", async () => {
    const { found } = await read("id,note,price\n1,-0,-0\n");

    expect(found.first.map(lineMaker({ columns, blank: "null", problems: "keep" }))).to.deep.equal([
      '{"id":1,"note":"-0","price":-0.0}',
    ]);
  });

  it("have problems that name the first place", async () => {
    const { found } = await read("id,note,price\n1,a,1\n,b,x\nc,d,y,9\n");

    expect(
      problemsIn(found, { columns, blank: "null" }, "line").map(({ text }) => inEnglish(text)),
    ).to.deep.equal([
      "1 row could not be read completely: line 4 has 4 fields, not 3",
      "id: “c” in line 4 is not a number",
      "id: 1 row has no value, the first in line 3, and the column needs one",
      "price: 2 values are not numbers, the first is “x” in line 3",
    ]);
  });

  it("can be deleted again by their keys, unless one has none", () => {
    const keys = new InsertedKeys();
    keys.add(["1", "2", "9007199254740993", "5"]);
    keys.add(["6", '"null"', "1.5", '["a", "null"]']);

    expect(keys.deletions("t", 1_000)).to.deep.equal([
      '{"op": "delete", "table": "t", "keys": [1, 2, 9007199254740993, 5, 6, "null", 1.5, ["a", "null"]]}',
    ]);
    const long = new InsertedKeys();
    long.add(Array.from({ length: 12_000 }, (_, index) => String(index)));
    expect(long.deletions("t", 1_000_000).map((one) => one.split(",").length - 2)).to.deep.equal([
      10_000, 2_000,
    ]);
    expect(keys.deletions("t", 17)[1]).to.equal(
      '{"op": "delete", "table": "t", "keys": [9007199254740993, 5]}',
    );
    expect(keys.areComplete).to.equal(true);
    for (const key of ["null", '["a", null]']) {
      const without = new InsertedKeys();
      without.add([key]);
      expect(without.areComplete, key).to.equal(false);
    }
  });
});
