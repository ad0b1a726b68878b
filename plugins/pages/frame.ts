import {
  actorName,
  type Actor,
  type Html,
  type MenuItem,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { Message, PageFacts } from "rowhouse/plugin-api/contracts";
import type { Translator } from "rowhouse/plugin-api/html";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { type PageAssets, pageAssets } from "./assets.js";
import { type CrumbTrail, crumbs } from "./crumbs.js";
import { fingerprint } from "./fingerprint.js";
import type { Description } from "./metadata-block.js";

/** The part of the context that all templates receive. */
export interface Frame {
  readonly site_title: string;
  readonly version: string;
  readonly stylesheet: string;
  readonly script: string;
  readonly favicon: string;
  readonly home: string;
  readonly crumbs: readonly { readonly href: string; readonly label: string }[];
  readonly menu: Menu | null;
  /** The parts of the header that plugins add. */
  readonly header_items: readonly Html[];
  readonly messages: readonly Message[];
  readonly assets: PageAssets;
  readonly actor: Actor | null;
  readonly request: Request;
  readonly urls: Rowhouse["urls"];
  /** Pages with a description replace it. */
  readonly description: Description;
  /** The token for forms. A function, because creating the token sets a cookie. */
  readonly csrftoken: () => string;
}

export interface Menu {
  readonly links: readonly MenuItem[];
  readonly actorName: string | null;
  readonly canLogOut: boolean;
}

const NO_DESCRIPTION: Description = { description: null, credits: [] };

/** Collects the frame of a page. */
export async function frameOf(
  rowhouse: Rowhouse,
  facts: PageFacts,
  trail: CrumbTrail,
  { t }: Translator,
): Promise<Frame> {
  const { request, actor } = facts;
  const asset = (file: string): string => `${rowhouse.urls.static(file)}?${fingerprint(file)}`;
  return {
    site_title: siteTitle(rowhouse),
    version: rowhouse.version,
    stylesheet: asset("app.css"),
    script: asset("app.js"),
    favicon: rowhouse.urls.path("/favicon.ico"),
    home: rowhouse.urls.instance(),
    crumbs: await crumbs(rowhouse, actor, { ...trail, homeLabel: t("frame.home") }),
    menu: await menuOf(rowhouse, request, actor),
    header_items: await rowhouse.hooks.header_items.promise([], rowhouse, facts),
    messages: rowhouse.serviceIfAny("messages")?.take(request) ?? [],
    assets: await pageAssets(rowhouse, facts),
    actor,
    request,
    urls: rowhouse.urls,
    description: NO_DESCRIPTION,
    csrftoken: () => rowhouse.serviceIfAny("csrf")?.token(request) ?? "",
  };
}

/** The title of the metadata, otherwise the name of the product. */
function siteTitle(rowhouse: Rowhouse): string {
  const title = currentMetadata(rowhouse).document["title"];
  return typeof title === "string" && title !== "" ? title : "Rowhouse";
}

async function menuOf(rowhouse: Rowhouse, request: Request, actor: Actor | null): Promise<Menu | null> {
  const links = await rowhouse.hooks.menu_links.promise([], rowhouse, { request, actor });
  const signedInByCookie = actor !== null && request.cookies.has("rowhouse_actor");
  if (links.length === 0 && !signedInByCookie) return null;
  return {
    links,
    actorName: actor === null ? null : actorName(actor),
    canLogOut: signedInByCookie,
  };
}
