import { resolve } from "node:path";
import { StartupError } from "rowhouse/plugin-api";
import type { Bundle, Publish, PublishTarget, Tool } from "rowhouse/plugin-api/contracts";
import { shellLine } from "./tool.js";
import { refuseValue, valueOf, type Values } from "./options.js";

const MISSING =
  "Publishing to Heroku requires heroku to be installed and configured\n" +
  "Follow the instructions at https://devcenter.heroku.com/articles/heroku-cli";

const ROWHOUSE = "node_modules/.bin/rowhouse";

/** `rowhouse publish heroku`: an application with the Node.js buildpack of Heroku. */
export const heroku = (publish: Publish): PublishTarget => ({
  name: "heroku",
  describe: "Heroku",
  options: {
    name: { alias: "n", type: "string", nargs: 1, describe: "The application; a new one unless given" },
    tar: { type: "string", nargs: 1, describe: "The tar program to use [PATH]" },
    "generate-dir": { type: "string", nargs: 1, describe: "Write the files here and stop [DIRECTORY]" },
  },
  handler: async (bundle: Bundle, values: Values) => {
    const site = herokuSite(bundle);
    const folder = valueOf(values, "generate-dir");
    if (folder !== null) return generate(site, resolve(folder));
    const name = applicationName(values);
    const tar = valueOf(values, "tar");
    const tool = publish.tool("heroku", MISSING);
    const plugins = pluginNames(await tool.read(["plugins"]));
    if (!plugins.has("heroku-builds"))
      throw new StartupError(
        "Publishing to Heroku requires its plugin: heroku plugins:install heroku-builds",
      );
    const app = await application(tool, name);
    const secrets = await secretsToSet(tool, app, site);
    await setSecrets(tool, { app, secrets, canCallApi: plugins.has("api") });
    const words = [
      "builds:create",
      "--app",
      app,
      "--include-vcs-ignore",
      ...(tar === null ? [] : ["--tar", tar]),
    ];
    await site.inFolder((built) => tool.run(words, { folder: built }));
  },
});

/** The bundle for Heroku, which uses scripts of `package.json` and a `Procfile` instead of the Dockerfile. */
function herokuSite(bundle: Bundle): Bundle {
  if (bundle.spatialite) throw new StartupError("Heroku has no SpatiaLite");
  const site = bundle.with({ settings: { force_https_urls: "on" } });
  const start = `web: ${ROWHOUSE} serve --port "$PORT" ${shellLine(site.serve)}`;
  if (start.includes("\n"))
    throw new StartupError("Heroku starts nothing that has a line break in its options");
  const manifest = JSON.parse(site.generated["package.json"] ?? "{}") as object;
  const built = site.inspect && {
    scripts: { "heroku-postbuild": shellLine([ROWHOUSE, "inspect", ...site.inspect]) },
  };
  return site.with({
    files: {
      Dockerfile: null,
      Procfile: `${start}\n`,
      "package.json": `${JSON.stringify({ ...manifest, ...built }, null, 2)}\n`,
    },
  });
}

async function generate(site: Bundle, folder: string): Promise<void> {
  await site.write(folder);
  const names = Object.keys(site.secrets).join(" and ");
  process.stderr.write(
    `Wrote ${folder}. Set ${names} with heroku config:set: the files contain no secrets.\n`,
  );
}

function applicationName(values: Values): string | null {
  const name = valueOf(values, "name");
  if (name === null || /^[a-z][a-z0-9-]*$/.test(name)) return name;
  return refuseValue(
    "'-n' / '--name'",
    "should be small letters, digits and hyphens, beginning with a letter",
  );
}

/** `heroku-builds 0.0.29`, `@heroku-cli/plugin-api 2.2.0`: a name at the beginning of each line. */
const pluginNames = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .split("\n")
      .map((line) => (/^\S+/.exec(line.trim())?.[0] ?? "").replace(/^(@[^/]+\/plugin-|heroku-cli-)/, "")),
  );

/** Creates the application if it does not exist. @returns its name */
async function application(tool: Tool, name: string | null): Promise<string> {
  const existing = name === null ? [] : namesIn(await tool.read(["apps", "--json"]));
  if (name !== null && existing.includes(name)) return name;
  const made = namesIn(await tool.read(["apps:create", ...(name === null ? [] : [name]), "--json"]));
  return made[0] ?? name ?? "";
}

function namesIn(json: string): readonly string[] {
  try {
    const parsed = JSON.parse(json) as unknown;
    return [parsed].flat().map((app) => String((app as { readonly name?: unknown }).name));
  } catch {
    throw new StartupError("heroku answered something else than JSON");
  }
}

/** All secrets, except a new ROWHOUSE_SECRET if the application already has one. */
async function secretsToSet(
  tool: Tool,
  app: string,
  { secrets, secretIsNew }: Bundle,
): Promise<Bundle["secrets"]> {
  if (!secretIsNew) return secrets;
  const present = (await tool.read(["config:get", "ROWHOUSE_SECRET", "--app", app])).trim();
  if (present === "") return secrets;
  const { ROWHOUSE_SECRET: _new, ...others } = secrets;
  return others;
}

interface Secrets {
  readonly app: string;
  readonly secrets: Bundle["secrets"];
  readonly canCallApi: boolean;
}

/**
 * Sets secrets with the API if its plugin is installed, since it reads the request from standard input. `config:set`
 * takes only arguments, which other users of this machine can read while it runs.
 */
async function setSecrets(tool: Tool, { app, secrets, canCallApi }: Secrets): Promise<void> {
  if (Object.keys(secrets).length === 0) return;
  if (canCallApi) {
    // `read` keeps the reply, which contains all variables, off the terminal.
    await tool.read(["api", "PATCH", `/apps/${app}/config-vars`], { input: JSON.stringify(secrets) });
    return;
  }
  const pairs = Object.entries(secrets).map(([name, value]) => `${name}=${value}`);
  await tool.read(["config:set", "--app", app, ...pairs]);
}
