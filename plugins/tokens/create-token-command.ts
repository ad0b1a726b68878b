import type { Argv } from "yargs";
import { StartupError, type Command, type Rowhouse } from "rowhouse/plugin-api";
import { collectGrants, grantOption, missingGrants, type Grant } from "./grants.js";
import type { TokenGrants } from "rowhouse/plugin-api/contracts";
import { issueRegistered, issueToken, type IssuedToken } from "./issue.js";
import { withRegistry } from "./registry/open.js";

interface Arguments {
  readonly id: string;
  readonly expiresAfter?: string;
  readonly all: readonly string[];
  readonly database: readonly string[];
  readonly resource: readonly string[];
  readonly debug: boolean;
  readonly strict: boolean;
  readonly name?: string;
}

/** `rowhouse create-token`: prints a signed token; nothing is opened and no setting is consulted. */
export const createTokenCommand = (rowhouse: Rowhouse): Command => ({
  command: "create-token <id>",
  describe: "Print a signed API token for the actor ID",
  builder: describeArguments,
  handler: (args: Arguments) => printToken(rowhouse, args),
});

function describeArguments(yargs: Argv<object>): unknown {
  return yargs
    .positional("id", { type: "string", describe: "Actor id the token acts for" })
    .option("expires-after", {
      alias: "e",
      type: "string",
      requiresArg: true,
      describe: "Seconds until the token expires; 0 is never",
    })
    .option("all", listOption("a", 1, "Allow ACTION everywhere"))
    .option("database", listOption("d", 2, "DB ACTION: allow in one database"))
    .option("resource", listOption("r", 3, "DB RESOURCE ACTION: allow on one table, view or query"))
    .option("name", {
      type: "string",
      requiresArg: true,
      describe: "Name of the token in the list of the --internal file",
    })
    .option("debug", { type: "boolean", default: false, describe: "Show the decoded token as well" })
    .option("strict", { type: "boolean", default: false, describe: "Refuse unknown actions" })
    .example("$0 create-token ann -a view-instance", "Only what is listed, everywhere")
    .example("$0 create-token ann -d docs insert-row", "In one database and everything in it")
    .example("$0 create-token ann -r docs pages update-row", "On one table, view or query");
}

const listOption = (alias: string, words: number, describe: string) =>
  ({ alias, type: "string", array: true, nargs: words, default: [], describe }) as const;

async function printToken(rowhouse: Rowhouse, args: Arguments): Promise<void> {
  if (rowhouse.option("commandLine")?.secretGiven !== true) {
    throw new StartupError(
      "Missing option '--secret'. The environment variable ROWHOUSE_SECRET gives it, too.",
      2,
    );
  }
  const grants = grantsOf(args);
  const expiresAfter = secondsOf(args.expiresAfter);
  reportUnknown(rowhouse, grants, args.strict);
  reportMissing(rowhouse, grants);
  const { token, payload } = await issue(rowhouse, args, {
    ...collectGrants(grants),
    ...(expiresAfter > 0 && { expiresAfter }),
  });
  process.stdout.write(`${token}\n`);
  if (args.debug) process.stdout.write(`\nDecoded:\n\n${JSON.stringify(payload, null, 2)}\n`);
}

/** With `--internal`, the token is in the registry. */
async function issue(rowhouse: Rowhouse, { id, name }: Arguments, grants: TokenGrants): Promise<IssuedToken> {
  const issued = await withRegistry(rowhouse, (registry) =>
    issueRegistered(rowhouse, registry, { actorId: id, grants, name: name ?? "unnamed" }),
  );
  if (issued === null && name !== undefined) throw new StartupError("--name needs --internal", 2);
  return issued ?? issueToken(rowhouse, id, grants);
}

const grantsOf = ({ all, database, resource }: Arguments): readonly Grant[] => [
  ...all.map((action) => ({ action, database: null, resource: null })),
  ...chunks(database, 2).map(([name = "", action = ""]) => ({ action, database: name, resource: null })),
  ...chunks(resource, 3).map(([name = "", inner = "", action = ""]) => ({
    action,
    database: name,
    resource: inner,
  })),
];

/** yargs joins the values of a repeated option: `-d a b -d c d` is one list of four. */
function chunks(words: readonly string[], size: number): readonly (readonly string[])[] {
  const count = Math.ceil(words.length / size);
  return Array.from({ length: count }, (_, index) => words.slice(index * size, (index + 1) * size));
}

function secondsOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^[+-]?\d+$/.test(text)) throw wrongExpiry(`'${text}' is not a valid integer.`);
  const seconds = Number(text);
  if (seconds < 0 || !Number.isSafeInteger(seconds)) throw wrongExpiry(`${text} is not in the range x>=0.`);
  return seconds;
}

const wrongExpiry = (reason: string): StartupError =>
  new StartupError(`Invalid value for '-e' / '--expires-after': ${reason}`, 2);

function reportUnknown(rowhouse: Rowhouse, grants: readonly Grant[], isStrict: boolean): void {
  for (const { action } of grants) {
    if (rowhouse.permissions.registered.has(action)) continue;
    const name = nameOf(rowhouse, action);
    const message = `Unknown permission: ${action}${name === action ? "" : ` (short for ${name})`}`;
    if (isStrict) throw new StartupError(message, 2);
    warn(message);
  }
}

/** Only warns: the metadata may allow the missing actions. */
function reportMissing(rowhouse: Rowhouse, grants: readonly Grant[]): void {
  const named = grants.map((grant) => ({ ...grant, action: nameOf(rowhouse, grant.action) }));
  for (const { action, missing } of missingGrants(named)) {
    const names = missing.map((grant) => grant.action).join(" and ");
    const unless = "unless metadata allows it or the setting restrictions_imply_parents is on";
    warn(`${action} also needs ${names}, ${unless}: add ${missing.map(grantOption).join(" ")}`);
  }
}

/** The full name of an abbreviation; other names unchanged. */
const nameOf = ({ permissions }: Rowhouse, action: string): string =>
  [...permissions.registered.values()].find(({ abbr }) => abbr === action)?.name ?? action;

function warn(message: string): void {
  const { stderr } = process;
  // False with NO_COLOR.
  const isColoured = stderr.isTTY && stderr.hasColors();
  stderr.write(isColoured ? `\u001b[31m  ${message} \u001b[0m\n` : `  ${message} \n`);
}
