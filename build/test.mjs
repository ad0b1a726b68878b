// `npm test`: builds, then runs the checks and all specs, several mocha processes at a time. A process runs a group of
// files one after the other, which share what it has loaded. Arguments go to mocha: `npm test -- -g "full-text"`.
// SPEC_FILES=facets runs only the files with this text in their path, SPEC_JOBS=1 one process at a time.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { groupsOf, specFiles } from "./spec-groups.mjs";

/** Specs wait for timers, disks and other processes: one job more than there are cores keeps all cores busy. */
const JOBS = Number(process.env.SPEC_JOBS ?? availableParallelism() + 1);

const began = Date.now();
const words = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "rowhouse-results-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

run("npm", ["run", "--silent", "build"]);
const chosen = process.env.SPEC_FILES ?? "";
const groups = groupsOf(specFiles().filter((file) => file.includes(chosen)));
const waiting = [runChecks, ...groups.map((files, index) => () => runSpecs(files, index))];
const results = [];
await Promise.all(Array.from({ length: JOBS }, work));
process.exitCode = report();

/** @throws Error if the program fails */
function run(program, args) {
  execFileSync(program, args, { stdio: "inherit" });
}

async function work() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.push(await next());
}

/** Formatting, lint and unused code. */
async function runChecks() {
  const { code, said } = await ended("npm", ["run", "--silent", "check:sources"]);
  if (code !== 0) process.stdout.write(said);
  return { passes: 0, pending: 0, failures: code === 0 ? [] : [{ fullTitle: "npm run check", err: {} }] };
}

/** One mocha process. What its specs print is printed when it has ended, so that groups do not mix. */
async function runSpecs(files, index) {
  const output = join(folder, `${index}.json`);
  const options = ["--reporter", "json", "--reporter-option", `output=${output}`];
  const { code, said } = await ended("node_modules/.bin/mocha", [...options, ...files, ...words]);
  process.stdout.write(said);
  const result = readResult(output);
  if (result === null || (code !== 0 && result.failures.length === 0)) {
    const err = { message: `mocha ended with ${code} without a result` };
    return { passes: 0, pending: 0, failures: [{ fullTitle: files.join(", "), err }] };
  }
  process.stdout.write(".".repeat(result.stats.passes) + "!".repeat(result.failures.length));
  return { passes: result.stats.passes, pending: result.stats.pending, failures: result.failures };
}

function readResult(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** Runs a program to its end. @returns its exit code and output */
function ended(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (said += text));
    }
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, said }));
  });
}

/** Prints the failures, then the numbers as mocha does. @returns the exit code */
function report() {
  const failures = results.flatMap((result) => result.failures);
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  for (const { fullTitle, file = "", err } of failures) {
    console.log(`\n\n${fullTitle}\n${file}\n${err.stack ?? err.message ?? ""}`);
    if (err.showDiff) console.log(`expected: ${err.expected}\nactual: ${err.actual}`);
  }
  console.log(`\n\n  ${sum("passes")} passing (${Math.round((Date.now() - began) / 1000)}s)`);
  if (sum("pending") > 0) console.log(`  ${sum("pending")} pending`);
  if (failures.length > 0) console.log(`  ${failures.length} failing`);
  return failures.length === 0 ? 0 : 1;
}
