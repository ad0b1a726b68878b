import type { Case, RecordedRequest } from "./cases.js";
import type { Failure } from "./replay.js";
import { shownCommand } from "./servers.js";

const SHOWN_DIFFERENCES = 8;
const SHOWN_CHARACTERS = 400;

/** A failure for people: the request as it was sent, the differences, and how to try it by hand. */
export function describeFailure(recorded: Case, failure: Failure): string {
  const { request, differences, answer } = failure;
  const shown = differences.slice(0, SHOWN_DIFFERENCES);
  const more = differences.length - shown.length;
  const step = recorded.steps.length > 1 ? `  (step ${failure.step} of ${recorded.steps.length})` : "";
  return [
    `${recorded.name}${step}`,
    ...describeRequest(request),
    ...shown.flatMap(({ where, expected, got }) => [
      `    ${where}`,
      `      expected ${cut(expected)}`,
      `      got      ${cut(got)}`,
    ]),
    ...(more > 0 ? [`    ... and ${more} more differences`] : []),
    ...(needsBody(failure) ? [`    answer: ${cut(answer.body.toString("utf8").trim())}`] : []),
    ...(recorded.why === null ? [] : [`    why: ${recorded.why}`]),
    `    server: ${shownCommand(recorded.server)}`,
  ].join("\n");
}

/** One line: the case and its first difference. */
export function summariseFailure(recorded: Case, { differences }: Failure): string {
  const [first] = differences;
  if (first === undefined) return recorded.name;
  return `${recorded.name}: ${first.where}: expected ${cut(first.expected, 60)}, got ${cut(first.got, 60)}`;
}

function describeRequest(request: RecordedRequest): string[] {
  const lines = [`  ${request.method} ${request.path}`];
  for (const [name, value] of Object.entries(request.headers ?? {})) lines.push(`    ${name}: ${value}`);
  const { token, actor, cookies, body } = request;
  for (const [name, value] of Object.entries({ token, actor, cookies })) {
    if (value !== undefined) lines.push(`    ${name} ${JSON.stringify(value)}`);
  }
  if (body !== undefined) lines.push(`    body ${cut(body)}`);
  return lines;
}

// A wrong status usually explains itself in the body, which the differences below it do not show whole.
const needsBody = ({ differences }: Failure): boolean => differences.some(({ where }) => where === "status");

const cut = (text: string, length = SHOWN_CHARACTERS): string =>
  text.length > length ? `${text.slice(0, length)} ... (${text.length} characters)` : text;

/** Cases passed and run, by group. */
export class Tally {
  private readonly groups = new Map<string, { passed: number; total: number }>();

  count(group: string, passed: boolean): void {
    const before = this.groups.get(group) ?? { passed: 0, total: 0 };
    this.groups.set(group, { passed: before.passed + (passed ? 1 : 0), total: before.total + 1 });
  }

  table(): string {
    const all = { passed: 0, total: 0 };
    for (const { passed, total } of this.groups.values()) {
      all.passed += passed;
      all.total += total;
    }
    const rows = [...this.groups, ["all", all] as const];
    return rows
      .map(([name, { passed, total }]) => {
        const mark = passed === total ? "" : `  ${total - passed} differ`;
        return `  ${name.padEnd(18)}${String(passed).padStart(5)} / ${String(total).padStart(4)}${mark}`;
      })
      .join("\n");
  }
}
