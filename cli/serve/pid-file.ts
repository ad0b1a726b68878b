import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { messageOf, StartupError } from "rowhouse/plugin-api";
import type { ReloadReport } from "./reloader.js";

/** The outcome of the last reload, for `rowhouse reload`. */
const reportPath = (path: string): string => `${path}.reload`;
/** The report while it is written. */
const nextReportPath = (path: string): string => `${reportPath(path)}.next`;

/** The file of `--pid-file`, in which other programs find the process of a server. */
export class PidFile {
  private constructor(private readonly path: string | undefined) {}

  /** Writes the process id. @throws StartupError if the file can't be written, or is not one of process ids */
  static write(path: string | undefined): PidFile {
    if (path !== undefined) requirePidFile(path);
    const file = new PidFile(path);
    try {
      file.report({ reloads: 0, problem: null });
      if (path !== undefined) writeFileSync(path, `${process.pid}\n`);
    } catch (error) {
      throw new StartupError(`Could not write the file of --pid-file: ${messageOf(error)}`, 1, {
        cause: error,
      });
    }
    return file;
  }

  /** Replaces the report as a whole, so that no reader sees a part of it. */
  report = (report: ReloadReport): void => {
    if (this.path === undefined) return;
    const next = nextReportPath(this.path);
    // The message of a plugin can contain secrets, which only the log leaves out.
    writeFileSync(next, `${JSON.stringify(report)}\n`, { mode: 0o600 });
    renameSync(next, reportPath(this.path));
  };

  /** Removes what this process has written. A server that was started meanwhile has files of its own. */
  remove(): void {
    if (this.path === undefined || readPid(this.path) !== process.pid) return;
    rmSync(nextReportPath(this.path), { force: true });
    rmSync(reportPath(this.path), { force: true });
    rmSync(this.path, { force: true });
  }
}

/** A mistyped path must not cost a database: the file is written at the start and removed at the end. */
function requirePidFile(path: string): void {
  const text = readIfAny(path)?.trim() ?? "";
  if (text === "" || /^\d+$/.test(text)) return;
  throw new StartupError(`--pid-file ${path} exists and does not contain a process id. Choose another path`);
}

/** The process id in a file; null without one. */
export function readPid(path: string): number | null {
  const text = readIfAny(path)?.trim() ?? "";
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** The outcome of the last reload; null before the server has written it. */
export function readReport(path: string): ReloadReport | null {
  const text = readIfAny(reportPath(path));
  return text === null ? null : (JSON.parse(text) as ReloadReport);
}

function readIfAny(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new StartupError(`Could not read ${path}: ${messageOf(error)}`, 1, { cause: error });
  }
}
