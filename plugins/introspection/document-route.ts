import { jsonText, permissionChain, reply } from "rowhouse/plugin-api";
import type { Awaitable, Chain, JsonDataContext, Page, Reply, RouteFor, Visit } from "rowhouse/plugin-api";

type Instance = Visit<"instance">;

const VIEW_INSTANCE: Chain = permissionChain();

/** `/-/<name>` as a page of indented JSON, and `/-/<name>.json`: the same whatever JSON arguments say. */
export function documentRoute(
  name: string,
  audience: "anybody" | "viewers",
  document: (visit: Instance) => Awaitable<unknown>,
): RouteFor<"instance"> {
  return {
    name,
    path: `/-/${name}{.:format}`,
    target: "instance",
    ...(audience === "viewers" && { permissions: () => VIEW_INSTANCE }),
    view: async (visit) => answer(name, visit, await document(visit)),
  };
}

function answer(name: string, { format, rowhouse }: Instance, document: unknown): Page | Reply {
  if (format !== "html") return reply.json(jsonText(document));
  const fileName = `${name}.json`;
  const context: JsonDataContext = {
    fileName,
    href: rowhouse.urls.path(`/-/${fileName}`),
    text: JSON.stringify(document, null, 4),
  };
  return { name: "json_data", data: {}, context: { ...context }, plain: true };
}
