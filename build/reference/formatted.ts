import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, type FormatConfig } from "oxfmt";

/** A text formatted as `npm run format` formats the file. @throws Error if it can't be parsed */
export async function formatted(root: string, file: string, text: string): Promise<string> {
  const { code, errors } = await format(file, text, configuration(root));
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  return code;
}

const configuration = (root: string): FormatConfig =>
  JSON.parse(readFileSync(join(root, ".oxfmtrc.json"), "utf8")) as FormatConfig;
