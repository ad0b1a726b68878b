import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { API_VERSION, StartupError, type Command } from "rowhouse/plugin-api";
import type { Parsed } from "../arguments/arguments.js";
import { consoleLog } from "../log/console-log.js";
import { version } from "../version.js";

/** `rowhouse plugin new`: creates the files of a new plugin. */
export const pluginCommand: Command = {
  command: "plugin <action> <name>",
  describe: "Start writing a plugin: plugin new NAME",
  builder: (line) =>
    line
      .positional("action", { choices: ["new"], describe: "What to do" })
      .positional("name", {
        type: "string",
        describe: "What the plugin is called: edit-things, @me/edit-things",
      })
      .example(
        "$0 plugin new edit-things",
        "Create the package rowhouse-plugin-edit-things in a folder of that name",
      ),
  handler: (parsed: Parsed) => {
    const { folder, packageName } = newPlugin(String(parsed["name"]), process.cwd());
    consoleLog.info(`Created ${packageName} in ${folder}. Next: cd ${folder} && npm install && npm test`);
  },
};

const PREFIX = "rowhouse-plugin-";
const TEMPLATES = fileURLToPath(new URL("../scaffold/", import.meta.url));
const ENDING = ".template";
const NAME = /^(?:(@[a-z0-9][\w.-]*)\/)?([a-z][a-z0-9-]*)$/;

/**
 * Writes the files of a plugin that builds, passes its specs and can be published.
 *
 * @param wish the name of the plugin, with or without scope and prefix
 * @throws StartupError for invalid names, and if the folder is not empty
 */
function newPlugin(wish: string, parent: string): { readonly folder: string; readonly packageName: string } {
  const [, scope, written] = NAME.exec(wish) ?? [];
  if (written === undefined)
    throw new StartupError(
      `Invalid value for 'NAME': ${wish} should be lower-case letters, digits and hyphens, beginning with a letter.`,
      2,
    );
  const name = written.startsWith(PREFIX) ? written.slice(PREFIX.length) : written;
  const folder = `${PREFIX}${name}`;
  const packageName = scope === undefined ? folder : `${scope}/${folder}`;
  const target = join(parent, folder);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new StartupError(`The folder ${folder} is not empty: choose another name, or remove it`);
  writeTemplates(target, { name, package: packageName, version, apiVersion: String(API_VERSION) });
  return { folder, packageName };
}

function writeTemplates(target: string, values: Readonly<Record<string, string>>): void {
  const templates = readdirSync(TEMPLATES, { recursive: true, encoding: "utf8" });
  for (const template of templates.filter((path) => path.endsWith(ENDING))) {
    const text = readFileSync(join(TEMPLATES, template), "utf8");
    const file = join(target, template.slice(0, -ENDING.length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      text.replace(/\{\{(\w+)\}\}/g, (found, key: string) => values[key] ?? found),
    );
  }
}
