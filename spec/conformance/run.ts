import { parseArgs } from "node:util";
import { readGroups, type Case } from "./cases.js";
import { exceptions } from "./exceptions.js";
import { replay } from "./replay.js";
import { describeFailure, summariseFailure, Tally } from "./report.js";
import { ServerPool } from "./server-pool.js";

const USAGE = `Replays recorded exchanges against the built command (npm run build first).

  node dist/spec/conformance/run.js [group ...] [options]

  --case TEXT       only cases whose name contains TEXT (repeatable)
  --profile NAME    only cases of this server set-up
  --shared          only cases that share a server: fast, no writing
  --keep-going      show every failure, not only the first five
  --list-failures   one line for each failure
  --help            this text
`;

const FEW = 5;

const { values: options, positionals: groupNames } = parseArgs({
  allowPositionals: true,
  options: {
    case: { type: "string", multiple: true, default: [] },
    profile: { type: "string" },
    shared: { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    "list-failures": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function chosenCases(): Case[] {
  const groups = readGroups();
  const unknown = groupNames.filter((name) => !groups.some((group) => group.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `No group is called ${unknown.join(" or ")}. Groups: ${groups.map(({ name }) => name).join(", ")}`,
    );
  }
  return groups
    .filter(({ name }) => groupNames.length === 0 || groupNames.includes(name))
    .flatMap(({ cases }) => cases)
    .filter(({ name }) => options.case.length === 0 || options.case.some((text) => name.includes(text)))
    .filter(({ server }) => options.profile === undefined || server === options.profile)
    .filter(({ fresh }) => !(options.shared && fresh));
}

interface Outcome {
  readonly recorded: Case;
  /** Null when the case passed, or an exception covers it. */
  readonly problem: { readonly brief: string; readonly whole: string } | null;
}

async function outcomeOf(recorded: Case, servers: ServerPool): Promise<Outcome> {
  try {
    const failure = await replay(recorded, servers);
    const overridden = exceptions.get(recorded.name);
    if (failure === null && overridden !== undefined) {
      const stale = `${recorded.name}: passes although exceptions.json names it: take the entry out`;
      return { recorded, problem: { brief: stale, whole: stale } };
    }
    if (failure === null || overridden !== undefined) return { recorded, problem: null };
    return {
      recorded,
      problem: { brief: summariseFailure(recorded, failure), whole: describeFailure(recorded, failure) },
    };
  } catch (error) {
    const { name } = recorded;
    const message = error instanceof Error ? error.message : String(error);
    return {
      recorded,
      problem: { brief: `${name}: ${message.split("\n", 1)[0]}`, whole: `${name}\n  ${message}` },
    };
  }
}

function show({ problem }: Outcome, number: number): void {
  if (problem === null) return;
  if (options["list-failures"]) console.log(problem.brief);
  else if (options["keep-going"] || number <= FEW) console.log(`${problem.whole}\n`);
  else if (number === FEW + 1)
    console.log("... more failures follow; --keep-going or --list-failures shows them\n");
}

async function run(cases: readonly Case[]): Promise<boolean> {
  const tally = new Tally();
  const servers = new ServerPool(cases);
  let failures = 0;
  try {
    for (const recorded of cases) {
      const outcome = await outcomeOf(recorded, servers);
      tally.count(recorded.group, outcome.problem === null);
      if (outcome.problem !== null) show(outcome, ++failures);
    }
  } finally {
    await servers.close();
  }
  console.log(tally.table());
  return failures === 0;
}

try {
  if (options.help) console.log(USAGE);
  else process.exitCode = (await run(chosenCases())) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
