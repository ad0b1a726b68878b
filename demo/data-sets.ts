import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import type { MetadataBlock } from "rowhouse/plugin-api";

const folder = join(dirname(fileURLToPath(import.meta.resolve("vega-datasets"))), "..");

/** One row of a data set: values by column. */
export type Source = Readonly<Record<string, string | number | null>>;

const readText = (file: string): string => readFileSync(join(folder, file), "utf8");

/** A data set in JSON of any shape. */
export const readJson = (file: string): unknown => JSON.parse(readText(`data/${file}`));

/** The rows of a data set in CSV or JSON. Empty CSV fields are null. */
export function readRows(file: string): readonly Source[] {
  if (file.endsWith(".json")) return readJson(file) as readonly Source[];
  const rows: readonly Record<string, string>[] = parse(readText(`data/${file}`), { columns: true });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === "" ? null : value])),
  );
}

interface Reference {
  readonly title?: string;
  readonly name?: string;
  readonly path?: string;
}

interface Resource {
  readonly path: string;
  readonly description?: string;
  readonly licenses?: readonly Reference[] | null;
  readonly sources?: readonly Reference[] | null;
}

interface DataPackage {
  readonly version: string;
  readonly resources: readonly Resource[];
}

const dataPackage = JSON.parse(readText("datapackage.json")) as DataPackage;

/** The version of the collection of data sets. */
export const collectionVersion = dataPackage.version;

/** Description, licence and source of a data set, as metadata of its table. */
export function provenance(file: string): MetadataBlock {
  const resource = dataPackage.resources.find(({ path }) => path === file);
  const [license] = resource?.licenses ?? [];
  const [source] = resource?.sources ?? [];
  return {
    description: firstParagraph(resource?.description ?? ""),
    source: source?.title ?? "Vega example data sets",
    source_url: source?.path ?? "https://github.com/vega/vega-datasets",
    ...reference("license", license),
  };
}

/** The collection gives only an address for some licences. */
function reference(key: string, { title, name, path }: Reference = {}): MetadataBlock {
  const isAddress = title?.startsWith("http") === true;
  const address = path ?? (isAddress ? title : undefined);
  const label = isAddress ? "Government work" : (title ?? name);
  return {
    ...(label !== undefined && { [key]: label }),
    ...(address !== undefined && { [`${key}_url`]: address }),
  };
}

/** The descriptions are Markdown with many paragraphs. The page shows the first one as plain text. */
function firstParagraph(markdown: string): string {
  const [first = ""] = markdown.trim().split(/\n\s*\n/);
  return first
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
