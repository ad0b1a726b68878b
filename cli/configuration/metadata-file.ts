import { basename } from "node:path";
import { StartupError, isObject } from "rowhouse/plugin-api";
import type { MetadataLayer } from "../arguments/choices.js";
import { parseJson, readText, shownPath } from "./read-file.js";

/**
 * Reads a metadata file. Its content decides whether it is JSON or YAML, not its name.
 *
 * @throws StartupError naming the file, the place in it and the reason
 */
export async function readMetadata(path: string): Promise<MetadataLayer> {
  const written = readText(path);
  const document = await parse(written, path);
  if (!isObject(document)) {
    throw new StartupError(`Metadata is not valid JSON or YAML: ${shownPath(path)} should hold an object`);
  }
  return { document, source: basename(path), file: path, under: [] };
}

async function parse(written: string, path: string): Promise<unknown> {
  const json = parseJson(written);
  if ("value" in json) return json.value;
  // The YAML parser is loaded only for files that are not JSON.
  const { default: yamlParser } = await import("yaml");
  const yaml = yamlParser.parseDocument(written, { prettyErrors: true });
  const [mistake] = yaml.errors;
  if (mistake === undefined) return yaml.toJS();
  const place = /^\s*[{[]/.test(written) ? json.mistake : yamlMistake(mistake);
  throw new StartupError(`Metadata is not valid JSON or YAML: ${shownPath(path)}, ${place}`);
}

function yamlMistake(mistake: {
  readonly message: string;
  readonly linePos?: readonly [{ readonly line: number; readonly col: number }, ...unknown[]] | undefined;
}): string {
  const reason = (mistake.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
  if (mistake.linePos === undefined) return reason;
  const [{ line, col }] = mistake.linePos;
  return `line ${line}, column ${col}: ${reason}`;
}
