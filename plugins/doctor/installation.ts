import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { messageOf, type Rowhouse } from "rowhouse/plugin-api";
import { ok, problem, warning, type Finding } from "./finding.js";

/** The oldest Node with all that Rowhouse uses. */
const OLDEST_NODE = [20, 19] as const;
const LEAST_FREE_BYTES = 200_000_000;
/** Signed values have times. A clock before this release of Rowhouse is certainly wrong. */
const EARLIEST_DATE = new Date("2026-01-01T00:00:00Z");

/** Checks everything except files: Node, the driver, the secret, the clock, plugins, temporary files. */
export async function checkInstallation(rowhouse: Rowhouse): Promise<readonly Finding[]> {
  return [
    nodeVersion(process.versions.node),
    await driver(rowhouse),
    secret(rowhouse),
    clock(new Date()),
    plugins(rowhouse),
    await temporaryFiles(tmpdir()),
  ];
}

/** @param version as `20.19.1` */
export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok("Node", version);
  return problem("Node", version, `Install Node ${OLDEST_NODE.join(".")} or later`);
}

async function driver(rowhouse: Rowhouse): Promise<Finding> {
  try {
    const database = await rowhouse.addDatabase({ uri: "memory:", name: "doctor", mutable: true });
    const { rows } = await database.read("select sqlite_version()");
    await rowhouse.removeDatabase(database.name);
    return ok("SQLite", String(rows[0]?.[0]));
  } catch (error) {
    return problem("SQLite", messageOf(error), "Run 'npm rebuild sqlite3' in the folder of Rowhouse");
  }
}

const SECRET_ADVICE =
  "Set ROWHOUSE_SECRET to the output of: node -p \"crypto.randomBytes(32).toString('hex')\"";

function secret(rowhouse: Rowhouse): Finding {
  const { secretGiven, secretProblem } = rowhouse.option("commandLine") ?? {};
  if (secretGiven !== true)
    return warning("Secret", "None: tokens and cookies end with the process", SECRET_ADVICE);
  return typeof secretProblem === "string"
    ? problem("Secret", secretProblem, SECRET_ADVICE)
    : ok("Secret", "Given");
}

/** @param now the time of the clock */
export function clock(now: Date): Finding {
  const text = now.toISOString();
  return now >= EARLIEST_DATE
    ? ok("Clock", text)
    : problem("Clock", `${text} is in the past`, "Set the clock: tokens and cookies expire by it");
}

function plugins(rowhouse: Rowhouse): Finding {
  const installed = new Set(rowhouse.option("installedPlugins") ?? []);
  const found = rowhouse.plugins.filter(({ name }) => installed.has(name));
  const shown = found.map(({ name, version }) => (version === null ? name : `${name} ${version}`)).join(", ");
  return ok("Plugins", `Rowhouse ${rowhouse.version}${shown === "" ? "" : `, ${shown}`}`);
}

async function temporaryFiles(folder: string): Promise<Finding> {
  const advice = `Set TMPDIR to another folder than ${folder}: uploads and downloads are kept there for a moment`;
  try {
    const { bavail, bsize } = await statfs(folder);
    const freeBytes = bavail * bsize;
    const text = `${Math.round(freeBytes / 1e6)} MB free`;
    return freeBytes < LEAST_FREE_BYTES
      ? warning("Temporary files", text, advice)
      : ok("Temporary files", text);
  } catch (error) {
    return problem("Temporary files", messageOf(error), advice);
  }
}
