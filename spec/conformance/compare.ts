import type { ExpectedResponse } from "./cases.js";
import { compareJson, type Difference } from "./compare-json.js";
import type { Answer } from "./exchange.js";
import { parseJson, type Json, type JsonArray } from "./lossless-json.js";

const CSRF_COOKIE = "rowhouse_csrf";

/** Every way in which an answer is not the recorded one; empty when it is. */
export function compare(expected: ExpectedResponse, answer: Answer): readonly Difference[] {
  return [
    ...compareStatus(expected, answer),
    ...compareHeaders(expected, answer),
    ...compareBody(expected, answer),
  ];
}

const compareStatus = ({ status }: ExpectedResponse, answer: Answer): Difference[] =>
  status === answer.status ? [] : [{ where: "status", expected: String(status), got: String(answer.status) }];

function compareHeaders(expected: ExpectedResponse, answer: Answer): Difference[] {
  return Object.entries(expected.headers ?? {}).flatMap(([name, value]) => {
    const got = name === "set-cookie-names" ? cookieNames(answer) : headerText(name, answer);
    const wanted = value === null ? null : headerForm(name, shownHeader(value));
    if (got === wanted) return [];
    return [{ where: `header ${name}`, expected: wanted ?? "(absent)", got: got ?? "(absent)" }];
  });
}

const shownHeader = (value: string | JsonArray): string =>
  typeof value === "string" ? value : value.join(", ");

function headerText(name: string, { headers }: Answer): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  // Node reads header bytes as Latin-1; they are UTF-8 here.
  return headerForm(name, Buffer.from(String(value), "latin1").toString("utf8"));
}

const headerForm = (name: string, value: string): string =>
  name === "content-type" ? value.replace(/;\s*/g, "; ") : value;

function cookieNames({ headers }: Answer): string {
  const names = (headers["set-cookie"] ?? []).map((cookie) => cookie.split("=", 1)[0] ?? "");
  return [...new Set(names)]
    .filter((name) => name !== CSRF_COOKIE)
    .toSorted()
    .join(", ");
}

function compareBody(expected: ExpectedResponse, answer: Answer): Difference[] {
  const text = answer.body.toString("utf8");
  const found: Difference[] = [];
  if (expected.json !== undefined) found.push(...compareJsonBody(expected, expected.json, answer, text));
  if (expected.text !== undefined) found.push(...compareText(expected.text, text));
  if (expected.base64 !== undefined)
    found.push(...compareText(expected.base64, answer.body.toString("base64")));
  if (expected.bytes !== undefined && answer.body.length === 0) {
    found.push({ where: "body", expected: "any bytes", got: "(empty)" });
  }
  for (const digits of expected.exact ?? []) {
    if (!text.includes(digits))
      found.push({ where: "body", expected: `the digits ${digits}`, got: shortened(text) });
  }
  return found;
}

function compareJsonBody(expected: ExpectedResponse, json: Json, answer: Answer, text: string): Difference[] {
  try {
    const { soft = {}, subset = false } = expected;
    return compareJson(json, parseJson(text), { soft, subset, now: answer.sentAt });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [{ where: "body", expected: "JSON", got: shortened(text) }];
  }
}

function compareText(expected: string, got: string): Difference[] {
  if (expected === got) return [];
  let same = 0;
  while (same < expected.length && expected[same] === got[same]) same++;
  const start = Math.max(0, same - 30);
  const line = got.slice(0, start).split("\n").length;
  const around = (text: string): string => JSON.stringify(text.slice(start, start + 120));
  return [{ where: `body text, line ${line}`, expected: around(expected), got: around(got) }];
}

const shortened = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)} ...` : text);
