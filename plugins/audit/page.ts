import { jsonText, pageReply, reply, type Reply, type Visit } from "rowhouse/plugin-api";
import { RawJson } from "rowhouse/plugin-api/json";
import type { AuditLog } from "./log.js";
import { FILTERS, RANGE, readQuestion, type Entry } from "./entries.js";
import { pageMarkup } from "./markup.js";
import { tOf } from "./texts.js";

/** What was changed, newest first: as a page, or as JSON at `/-/audit.json`. @throws BadRequest */
export async function auditPage(log: AuditLog, visit: Visit<"instance">): Promise<Reply> {
  const { request, format } = visit;
  const question = readQuestion(request);
  const found = await log.entries(question);
  const entries = found.slice(0, question.size);
  const next = found.length > entries.length ? String(entries.at(-1)?.id) : null;
  if (format !== "html") return reply.json(documentText(visit, entries, next));
  const values = await Promise.all(
    Object.entries(FILTERS).map(async ([name, column]) => [name, await log.values(column)] as const),
  );
  return pageReply(visit, {
    template: "audit.html",
    title: tOf(visit)("audit.link"),
    content: pageMarkup(visit, { entries, nextUrl: next === null ? null : nextPath(visit, next), values }),
    context: { entries, next, is_translated: true },
  });
}

function documentText(visit: Visit, entries: readonly Entry[], next: string | null): string {
  const { rowhouse, request } = visit;
  return jsonText({
    ok: true,
    entries: entries.map(({ actor, details, ...entry }) => ({
      ...entry,
      actor: actor === null ? null : new RawJson(actor),
      details: new RawJson(details),
    })),
    next,
    next_url: next === null ? null : rowhouse.urls.absolute(request, nextPath(visit, next)),
  });
}

function nextPath({ rowhouse, request, format }: Visit, next: string): string {
  const query = new URLSearchParams();
  for (const name of [...Object.keys(FILTERS), ...RANGE, "_size"]) {
    const value = request.query.get(name);
    if (value !== null) query.set(name, value);
  }
  query.set("_next", next);
  return `${rowhouse.urls.path(`/-/audit${format === "html" ? "" : `.${format}`}`)}?${query.toString()}`;
}
