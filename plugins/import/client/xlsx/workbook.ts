import { UnreadableFile } from "../read/source.js";
import { message } from "../message.js";
import { dateKindOf, type DateKind, type DateSystem } from "./dates.js";
import { attribute, elements, splitBehind, unescapeXml } from "./xml.js";
import { zipEntries, type ZipEntry } from "./zip.js";

/** An XLSX file. Its sheets are read as streams; texts that cells share are in memory. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly dates: DateSystem;
  /** What the style of a cell shows, by its index. */
  readonly styles: readonly (DateKind | null)[];
  sharedTexts(): Promise<readonly string[]>;
  /** The XML of a sheet, split behind rows. */
  rowsOf(path: string): AsyncIterable<string>;
}

/** A sheet with cells, in a file of the archive. */
export interface Sheet {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
}

const DAMAGED = "script.import.workbook_damaged";

/** @throws UnreadableFile */
export async function openWorkbook(file: Blob): Promise<Workbook> {
  const entries = await zipEntries(file);
  const text = async (path: string): Promise<string> => (await entries.get(path)?.text()) ?? "";
  const workbook = await text("xl/workbook.xml");
  if (workbook === "") throw new UnreadableFile(message(DAMAGED));
  const targets = targetsIn(await text("xl/_rels/workbook.xml.rels"));
  let shared: Promise<readonly string[]> | null = null;
  return {
    sheets: sheetsIn(workbook, targets, entries),
    dates: dateSystemIn(workbook, await text("docProps/app.xml")),
    styles: stylesIn(await text(targets.byType("styles") ?? "xl/styles.xml")),
    sharedTexts: () =>
      (shared ??= sharedTextsIn(entries.get(targets.byType("sharedStrings") ?? "xl/sharedStrings.xml"))),
    rowsOf: (path) => splitBehind(decoded(entries.get(path)), "row"),
  };
}

function dateSystemIn(workbook: string, program: string): DateSystem {
  const [properties] = elements(workbook, "workbookPr");
  if (["1", "true"].includes(attribute(properties?.attributes ?? "", "date1904") ?? "")) return "1904";
  const [name] = elements(program, "Application");
  return /^(?:Libre|Open)Office/.test(name?.content ?? "") ? "1900" : "excel-1900";
}

interface Targets {
  /** Undefined for a sheet that is only a chart or a macro. */
  sheet(id: string): string | undefined;
  byType(ending: string): string | undefined;
}

function targetsIn(relations: string): Targets {
  const found = [...elements(relations, "Relationship")].map(({ attributes }) => ({
    id: attribute(attributes, "Id"),
    type: attribute(attributes, "Type") ?? "",
    path: pathOf(attribute(attributes, "Target") ?? ""),
  }));
  return {
    sheet: (id) => found.find((one) => one.id === id && one.type.endsWith("/worksheet"))?.path,
    byType: (ending) => found.find(({ type }) => type.endsWith(`/${ending}`))?.path,
  };
}

/** Targets are relative to the folder `xl`, or begin with a slash. */
const pathOf = (target: string): string => (target.startsWith("/") ? target.slice(1) : `xl/${target}`);

function sheetsIn(
  workbook: string,
  targets: Targets,
  entries: ReadonlyMap<string, ZipEntry>,
): readonly Sheet[] {
  return [...elements(workbook, "sheet")].flatMap(({ attributes }) => {
    const id = /(?:^|\s)\w+:id\s*=\s*"([^"]*)"/.exec(attributes)?.[1] ?? "";
    const path = targets.sheet(id) ?? "";
    const isHidden = (attribute(attributes, "state") ?? "visible") !== "visible";
    return entries.has(path) ? [{ name: attribute(attributes, "name") ?? path, path, isHidden }] : [];
  });
}

function stylesIn(xml: string): Workbook["styles"] {
  const codes = new Map(
    [...elements(xml, "numFmt")].map(({ attributes }) => [
      Number(attribute(attributes, "numFmtId")),
      attribute(attributes, "formatCode") ?? "",
    ]),
  );
  const [formats] = elements(xml, "cellXfs");
  return [...elements(formats?.content ?? "", "xf")].map(({ attributes }) => {
    const id = Number(attribute(attributes, "numFmtId") ?? 0);
    return dateKindOf(id, codes.get(id) ?? null);
  });
}

async function sharedTextsIn(entry: ZipEntry | undefined): Promise<readonly string[]> {
  const texts: string[] = [];
  if (entry === undefined) return texts;
  for await (const part of splitBehind(decoded(entry), "si")) {
    for (const { content } of elements(part, "si")) texts.push(textIn(content));
  }
  return texts;
}

/** The text of a shared or inline string: its runs without the readings of Japanese words. */
export function textIn(xml: string): string {
  const spoken = xml.includes("rPh") ? xml.replace(/<(?:\w+:)?rPh\b[\s\S]*?<\/(?:\w+:)?rPh\s*>/g, "") : xml;
  return unescapeText([...elements(spoken, "t")].map(({ content }) => unescapeXml(content)).join(""));
}

/** Characters that XML cannot contain are written as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.replace(/_x([0-9A-F]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(String(hex), 16)));

function decoded(entry: ZipEntry | undefined): AsyncGenerator<string> {
  if (entry === undefined) throw new UnreadableFile(message(DAMAGED));
  return entry.texts();
}
