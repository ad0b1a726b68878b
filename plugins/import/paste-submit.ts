import { reply, type Reply, type Visit } from "rowhouse/plugin-api";
import { textOfBody } from "rowhouse/plugin-api/http";
import { parseExactJson } from "rowhouse/plugin-api/json";
import { requireView, tablePage, type ImportError } from "./import-page.js";
import { tOf } from "./texts.js";

/** Sends the text to the JSON API with the actor of the page. */
export async function importSubmit(visit: Visit<"table">): Promise<Reply> {
  await requireView(visit);
  const { rowhouse, request, actor, target } = visit;
  const { fields } = await request.form();
  const pasted = {
    text: fields.get("text") ?? "",
    conflict: fields.get("conflict") ?? "",
    alter: fields.has("alter"),
  };
  if (pasted.text.trim() === "")
    return tablePage(visit, pasted, [{ text: tOf(visit)("import.paste_first"), isEnglish: false }]);
  const url = rowhouse.urls.table(target.database.name, target.table.name);
  const options = [...(pasted.conflict === "" ? [] : [pasted.conflict]), ...(pasted.alter ? ["alter"] : [])];
  const answer = await rowhouse.fetch(`${url}/-/insert?${options.map((name) => `${name}=1`).join("&")}`, {
    method: "POST",
    headers: { "content-type": "text/csv" },
    body: pasted.text,
    actor,
  });
  if (answer.status >= 400) return tablePage(visit, pasted, errorsOf(await textOfBody(answer.body)));
  rowhouse.serviceIfAny("messages")?.add(request, tOf(visit)("import.done"));
  return reply.redirect(url, 303);
}

function errorsOf(body: string): readonly ImportError[] {
  const { errors, error } = parseExactJson(body) as { readonly errors?: unknown[]; readonly error?: unknown };
  return (errors ?? [error ?? "This could not be done"]).map((one) => ({
    text: String(one),
    isEnglish: true,
  }));
}
