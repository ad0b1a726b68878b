import { crc32, deflateRawSync } from "node:zlib";

/** A ZIP archive of these texts, as workbooks are. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const [contents, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = deflateRawSync(Buffer.from(text));
    const common = Buffer.alloc(26);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(text), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(Buffer.byteLength(text), 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.alloc(2), common, tail, Buffer.from(name)]),
    );
    contents.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...contents, entries, Buffer.from("PK\u0005\u0006"), end]);
}

const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A workbook with a chart, a hidden sheet and two others, dates, shared and rich texts, a large integer, and 0.07 as Excel writes it. */
export const workbook = (): Buffer =>
  zipOf({
    "xl/workbook.xml": `<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="Chart" sheetId="4" r:id="rId4"/><sheet name="Lists" sheetId="3" state="hidden" r:id="rId3"/><sheet name="Sales &amp; more" sheetId="1" r:id="rId1"/><sheet name="Empty" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/worksheet" Target="/xl/worksheets/sheet2.xml"/><Relationship Id="rId3" Type="${RELATIONS}/worksheet" Target="worksheets/sheet3.xml"/><Relationship Id="rId4" Type="${RELATIONS}/chartsheet" Target="chartsheets/sheet1.xml"/></Relationships>`,
    "xl/styles.xml":
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="0.0&quot; days&quot;"/></numFmts>' +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    "xl/sharedStrings.xml":
      '<sst><si><t>code</t></si><si><r><t>un</t></r><r><t xml:space="preserve">it </t></r><rPh><t>x</t></rPh></si><si><t>007</t></si></sst>',
    "xl/worksheets/sheet1.xml":
      "<worksheet><sheetData><row/>" +
      '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="inlineStr"><is><t>when</t></is></c><c r="C2" t="s"><v>1</v></c><c r="D2" t="str"><f>x</f><v>on</v></c><c r="E2" t="inlineStr"><is><t>big</t></is></c></row>' +
      '<row r="4"><c r="A4" t="s"><v>2</v></c><c r="B4" s="1"><v>45352</v></c><c r="C4" s="3"><v>0.1</v></c><c r="D4" t="b"><v>1</v></c><c r="E4"><v>12345678901234567890</v></c></row>' +
      '<row r="5"><c r="B5" s="2"><v>45352.395833333336</v></c><c r="C5"><v>7.0000000000000007E-2</v></c><c r="D5" t="e"><v>#N/A</v></c></row>' +
      "</sheetData></worksheet>",
    "xl/worksheets/sheet2.xml": "<worksheet><sheetData/></worksheet>",
    "xl/worksheets/sheet3.xml":
      '<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>hidden</v></c></row></sheetData></worksheet>',
    "xl/chartsheets/sheet1.xml": "<chartsheet/>",
  });

/** A workbook with one sheet of these rows, as XML. @param others files of the archive */
export const workbookOf = (rows: string, others: Readonly<Record<string, string>> = {}): Buffer =>
  zipOf({
    ...others,
    "xl/workbook.xml": `<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
