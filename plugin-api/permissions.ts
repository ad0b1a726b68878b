import type { Awaitable, NoOpinion } from "./hooks.js";

/** Who is asking: `null` is anonymous. Only `id` means anything to Rowhouse itself. */
export interface Actor {
  readonly id?: unknown;
  readonly [key: string]: unknown;
}

/** A permission as plugins register it; names and spelling are published. */
export interface Permission {
  readonly name: string;
  readonly abbr: string | null;
  readonly description: string | null;
  readonly takes_database: boolean;
  readonly takes_resource: boolean;
  /** The answer when nobody has an opinion. */
  readonly default: boolean;
}

/** Nothing, a database, or a table, view or query in a database. */
export type Resource = null | string | readonly [database: string, resource: string];

/** A question put to every plugin. */
export interface PermissionCheck {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resource: Resource;
}

/** The same question about many resources, for plugins that can answer in one pass. */
export interface PermissionChecks {
  readonly actor: Actor | null;
  readonly action: string;
  readonly resources: readonly Resource[];
}

/** An opinion with the rule behind it, which the explaining page shows. */
export interface ReasonedOpinion {
  readonly allowed: boolean;
  /** For people: `databases.data.tables.docs.allow in metadata.yaml does not match`. */
  readonly because: string;
}

/** Yes or no, with the reason where there is one to tell. */
export type Opinion = boolean | ReasonedOpinion;
/** What a permission hook may answer. */
export type OpinionAnswer = Awaitable<Opinion | NoOpinion>;

/** Who said what. `plugin` is null for the registered default. */
export interface RecordedOpinion {
  readonly plugin: string | null;
  readonly allowed: boolean;
  readonly because: string | null;
}

/** How one question was settled. */
export interface Decision extends PermissionCheck {
  /** What the plugins made of it together: one no beats any number of yeses; null when none had an opinion. */
  readonly opinion: boolean | null;
  /** The answer: the opinion, or the default where there was none. */
  readonly allowed: boolean;
  readonly usedDefault: boolean;
  /** A step of a chain: with no opinion the next step is asked, and no default counts. */
  readonly inChain?: true;
  readonly opinions: readonly RecordedOpinion[];
  readonly at: Date;
}

/** Checked from most to least specific. */
export type Chain = readonly (readonly [action: string, resource: Resource])[];

/** Whether somebody may see a thing. */
export interface Visibility {
  readonly visible: boolean;
  /** True when this actor may see it but an anonymous visitor may not. */
  readonly private: boolean;
}
