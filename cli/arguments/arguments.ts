import { existsSync } from "node:fs";
import type { Log } from "rowhouse/plugin-api";
import { mergeChoices, type PartialChoices } from "./choices.js";
import { filesOnCommandLine, onCommandLine, type Option } from "./options.js";
import { databaseSource, list, text } from "./readers.js";
import { metadataOption, serveOptions } from "./serve-options.js";
import { settingChoices } from "./setting-layer.js";

/** The parsed arguments of yargs: values of options by long name. */
export type Parsed = Readonly<Record<string, unknown>>;

/**
 * The choices in flags and arguments. Contains only those that are given.
 *
 * @throws StartupError (exit code 2) for invalid values
 */
export function argumentChoices(parsed: Parsed, folder: string, log: Log): PartialChoices {
  const choices: Record<string, unknown> = {};
  for (const option of serveOptions) {
    if (Object.hasOwn(parsed, option.name)) {
      choices[option.key] = option.read(rawValue(option, parsed[option.name]), onCommandLine(option, folder));
    }
  }
  const files = fileArguments(parsed);
  if (files.length > 0) choices["files"] = list(databaseSource)(files, filesOnCommandLine(folder));
  if (Object.hasOwn(parsed, "metadata")) choices["metadata"] = { path: metadataPath(parsed, folder) };
  const { file, pairs } = configArguments(parsed, folder, log);
  if (file !== null) choices["config"] = file;
  return mergeChoices(
    choices,
    settingChoices([...pairs, ...settingPairs(parsed)], onCommandLine({ name: "setting" }, folder)),
  );
}

/** The arguments that name files. */
export const fileArguments = (parsed: Parsed): readonly string[] =>
  [parsed["files"] ?? []].flat().map(String);

/** If an option is given twice, the last value counts. */
export const lastValue = (value: unknown): unknown => [value].flat().at(-1);

const rawValue = ({ form }: Option, value: unknown): unknown => (form === "value" ? lastValue(value) : value);

const metadataPath = (parsed: Parsed, folder: string): unknown =>
  metadataOption.read(rawValue(metadataOption, parsed["metadata"]), onCommandLine(metadataOption, folder));

function settingPairs(parsed: Parsed): readonly (readonly [string, string])[] {
  const words = [parsed["setting"] ?? []].flat().map(String);
  return words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? ""] as const] : []));
}

/** `--config` names a file. Old scripts use `name:value` for a setting. */
function configArguments(parsed: Parsed, folder: string, log: Log) {
  const place = onCommandLine({ name: "config" }, folder);
  let file: string | null = null;
  const pairs: (readonly [string, string])[] = [];
  for (const raw of [parsed["config"] ?? []].flat()) {
    const written = text(raw, place);
    const [, name, value] = /^([^:/\\]+):(.*)$/s.exec(written) ?? [];
    if (existsSync(written)) file = written;
    else if (name !== undefined && value !== undefined) {
      log.info("--config name:value will be deprecated in Rowhouse 1.0, use --setting name value instead");
      pairs.push([name, value]);
    } else if (/[./\\]/.test(written)) place.refuse(`'${written}': No such file or directory`);
    else place.refuse(`"${written}" should be name:value`);
  }
  return { file, pairs };
}
