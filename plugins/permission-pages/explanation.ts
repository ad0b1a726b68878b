import { permissionChain } from "rowhouse/plugin-api";
import type { Actor, Chain, Decision, PermissionCheck, RecordedOpinion, Resource } from "rowhouse/plugin-api";
import type { Rowhouse } from "rowhouse/plugin-api";
import { publishedResource } from "./question.js";

/** Why a question is answered as it is, in published form. */
export interface Explanation {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resource: string | readonly string[];
  /** The action alone: any no is no, else any yes is yes, else the default. */
  readonly allowed: boolean;
  readonly used_default: boolean;
  readonly opinions: readonly RecordedOpinion[];
  /** For actions that guard a page: what the page asks, most specific first. */
  readonly page: PageExplanation | null;
}

/** The first step with an opinion settles whether the page opens; without any, the first step's default. */
export interface PageExplanation {
  readonly opens: boolean;
  /** The action of the step that settled it; null when a default did. */
  readonly settled_by: string | null;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly action: string;
  readonly resource: string | readonly string[];
  readonly opinion: boolean | null;
  readonly opinions: readonly RecordedOpinion[];
}

/** Asks every plugin, and for pages every step of the chain. */
export async function explain(rowhouse: Rowhouse, question: PermissionCheck): Promise<Explanation> {
  const { actor, action, resource } = question;
  const decision = await rowhouse.permissions.decide(actor, action, resource);
  return {
    actor,
    action,
    resource: publishedResource(resource),
    allowed: decision.allowed,
    used_default: decision.usedDefault,
    opinions: decision.opinions,
    page: await explainPage(rowhouse, decision),
  };
}

async function explainPage(rowhouse: Rowhouse, decision: Decision): Promise<PageExplanation | null> {
  const { actor, action, resource } = decision;
  const further = stepsAbove(action, resource);
  if (further === null) return null;
  const above = await Promise.all(
    further.map(([next, place]) => rowhouse.permissions.decide(actor, next, place)),
  );
  const decisions = [decision, ...above];
  const settling = decisions.find(({ opinion }) => opinion !== null);
  return {
    opens: settling?.opinion ?? decision.allowed,
    settled_by: settling?.action ?? null,
    steps: decisions.map((step) => ({
      action: step.action,
      resource: publishedResource(step.resource),
      opinion: step.opinion,
      opinions: step.opinions,
    })),
  };
}

/** What a page asks after its own permission; null for actions that guard no page, or not with this resource. */
function stepsAbove(action: string, resource: Resource): Chain | null {
  if (action === "view-instance") return [];
  if (resource === null) return null;
  const database = typeof resource === "string" ? resource : resource[0];
  if (action === "view-database") return permissionChain();
  if (!PAGE_ACTIONS.has(action)) return null;
  return permissionChain({ database });
}

const PAGE_ACTIONS: ReadonlySet<string> = new Set(["view-table", "view-query", "view-database-download"]);
