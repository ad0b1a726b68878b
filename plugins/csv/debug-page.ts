import { escapeHtml } from "rowhouse/plugin-api";

const BEFORE =
  '<!doctype html>\n<html lang="en">\n<head><title>CSV debug</title></head>\n' +
  '<body><textarea rows="40" cols="120" aria-label="CSV">';
const AFTER = "</textarea></body>\n</html>";

/** A CSV text inside a page, where tools that only look at pages can see it. */
export function inTextArea(csv: string | AsyncIterable<string>): string | AsyncIterable<string> {
  return typeof csv === "string" ? BEFORE + escapeHtml(csv) + AFTER : streamed(csv);
}

async function* streamed(csv: AsyncIterable<string>) {
  yield BEFORE;
  for await (const text of csv) yield escapeHtml(text);
  yield AFTER;
}
