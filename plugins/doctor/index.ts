import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { definePlugin, messageOf, StartupError, type Command, type Rowhouse } from "rowhouse/plugin-api";
import { isDatabaseAddress, namedLocation } from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import { checkContent } from "./content.js";
import { checkFile, checkUse, heldLock, type CheckedFile } from "./file.js";
import { problem, type Finding } from "./finding.js";
import { checkInstallation } from "./installation.js";

/** `rowhouse doctor`: checks the installation and database files, and says what to do. */
export default definePlugin({
  name: "doctor",
  deterministic: true,
  unguarded: true,
  optional: ["advice", "metadata"],
  register_commands: (rowhouse) => doctorCommand(rowhouse),
});

interface DoctorArguments {
  readonly files?: readonly string[];
  readonly metadata?: string;
}

const doctorCommand = (rowhouse: Rowhouse): Command => ({
  command: "doctor [files..]",
  describe: "Check the installation and database files, and say what to do",
  builder: (yargs) =>
    yargs
      .positional("files", {
        type: "string",
        array: true,
        describe: "SQLite files; those of the configuration if there are none",
      })
      .option("metadata", {
        alias: "m",
        type: "string",
        nargs: 1,
        describe: "Metadata, JSON or YAML: its facets and sort columns need indexes",
      })
      .example("$0 doctor library.db", "Before a deployment, or when something is wrong"),
  handler: async ({ files = [], metadata }: DoctorArguments) => {
    await useMetadata(rowhouse, metadata);
    const findings = [...(await checkInstallation(rowhouse))];
    for (const file of checkedFiles(rowhouse, files)) findings.push(...(await checkDatabase(rowhouse, file)));
    process.stdout.write(findings.map(textOf).join(""));
    const count = findings.filter(({ level }) => level === "problem").length;
    if (count > 0) throw new StartupError(`${count} ${count === 1 ? "problem" : "problems"}`);
  },
});

/** Facets and sort columns of the metadata need indexes. */
async function useMetadata(rowhouse: Rowhouse, path: string | undefined): Promise<void> {
  const document = (await rowhouse.option("commandLine")?.readMetadata?.(path)) ?? {};
  rowhouse.hooks.get_metadata.tapPromise("doctor", async (list) => [...list, document]);
  await rowhouse.serviceIfAny("metadata")?.reload();
}

/** The files of the command, else those of the configuration, and the internal file if there is one. */
function checkedFiles(rowhouse: Rowhouse, given: readonly string[]): readonly CheckedFile[] {
  if (given.some(isDatabaseAddress))
    throw new StartupError("Only SQLite files can be checked, not addresses of databases", 2);
  const { configuredFiles = [], immutableFiles = [] } = rowhouse.option("commandLine") ?? {};
  const served = (given.length > 0 ? given : configuredFiles).map((shown): CheckedFile => {
    const path = resolve(shown);
    return { path, shown, use: immutableFiles.includes(path) ? "immutable" : "served" };
  });
  const internal = rowhouse.option("internal");
  if (internal === undefined || !existsSync(internal)) return served;
  return [...served, { path: resolve(internal), shown: internal, use: "internal" }];
}

async function checkDatabase(rowhouse: Rowhouse, file: CheckedFile): Promise<readonly Finding[]> {
  const { shown, use } = file;
  try {
    const location = { ...namedLocation(shown), mutable: use !== "immutable", internal: use === "internal" };
    const database = await rowhouse.addDatabase(location);
    try {
      return [
        ...(await checkFile(file)),
        ...(await checkUse(database, file)),
        ...(await checkContent(rowhouse, database, shown)),
      ];
    } finally {
      await rowhouse.removeDatabase(database.name);
    }
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return [heldLock(shown, "reads and writes fail")];
    return [problem(shown, messageOf(error), "Check the path and the permissions, or restore a backup")];
  }
}

const textOf = ({ level, subject, text, advice }: Finding): string =>
  `${level.padEnd(7)}  ${subject}: ${text}\n${advice === undefined ? "" : `         ${advice}\n`}`;
