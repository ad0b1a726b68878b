import {
  defineHooks,
  defineSettings,
  definePlugin,
  defineRoute,
  hook,
  html,
  type Database,
  type Html,
  type Page,
  type Permission,
  type Request,
  type Route,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { HooksOf, SettingsOf } from "rowhouse/plugin-api/kernel";

// What must not compile. The build is the test: an expected error that does not come is itself an error.
// Importing this file does nothing.

/** A hook without an owner. */
definePlugin({
  name: "misspelt",
  // @ts-expect-error: the hook is called register_permissions
  register_permission: () => [],
});

/** An answer of the wrong kind. */
definePlugin({
  name: "wrong-answer",
  // @ts-expect-error: an opinion is a boolean or has a reason, never a word
  permission_allowed: () => "yes",
});

/** A hook whose functions return nothing. */
definePlugin({
  name: "asks-for-too-much",
  // @ts-expect-error: actor_from_request is handed no database
  actor_from_request: (_rowhouse, { database }) => database,
});

/** A plugin without a name. */
// @ts-expect-error: the name is what permissions, settings and messages say
definePlugin({ startup: () => undefined });

/** A canned query without SQL. */
definePlugin({
  name: "asks-nothing",
  // @ts-expect-error: the SQL is required, though other members may have any name
  canned_queries: () => ({ oldest: { sqll: "select 1" } }),
});

/** A route whose permissions depend on its target. */
defineRoute<"table">({
  name: "too-early",
  path: "/:database/:resource/-/too-early",
  target: "table",
  // @ts-expect-error: permissions by name are checked before the target is found
  requires: ({ table }) => [["insert-row", table.name]],
  view: ({ target }) => ({ name: "early", data: { table: target.table.name } }),
});

/** A permission that leaves its default unsaid. */
// @ts-expect-error: the default is required
export const vague: Permission = {
  name: "fly",
  abbr: null,
  description: null,
  takes_database: false,
  takes_resource: false,
};

export function neverWrites(request: Request, page: Page, rowhouse: Rowhouse): void {
  // @ts-expect-error: a request is never written to
  request.path = "/";
  // @ts-expect-error: nor is a page
  page.data["rows"] = [];
  // @ts-expect-error: nor are the registries
  rowhouse.permissions.registered.set("fly", vague);
}

export async function keepsSecrets(rowhouse: Rowhouse, database: Database): Promise<void> {
  // @ts-expect-error: the secret is never handed out
  void rowhouse.secret;
  // @ts-expect-error: a setting that no plugin declares
  rowhouse.setting("colour_of_the_door");
  // @ts-expect-error: a service that no plugin declares
  rowhouse.service("teapot");
  // @ts-expect-error: values are null, numbers, text or bytes, not objects
  await database.read("select ?", [{ id: 1 }]);
  // @ts-expect-error: a page limit is not a read's time limit
  await database.read("select 1", [], { limit: 10 });
}

/** Plain text is not markup. */
// @ts-expect-error: only html and raw make markup
export const unsafe: Html = "<b>hello</b>";
export const safe: Html = html`<b>${"hello"}</b>`;

/** A view of a table is not handed a row. */
export const mixedUp: Route = {
  name: "mixed-up",
  path: "/:database/:resource",
  target: "table",
  // @ts-expect-error: only targets of kind row have a key
  view: ({ target }) => ({ name: "x", data: { key: target.key } }),
};

/** A plugin with a hook of its own, stated once. */
const rainHooks = defineHooks({
  rain_forecast: hook.collect<{ readonly day: string }, number>({ affects: "data", failing: "skip" }),
});
declare module "rowhouse/plugin-api" {
  interface HookTable extends HooksOf<typeof rainHooks> {}
}
definePlugin({ name: "rain", hooks: rainHooks, rain_forecast: (_rowhouse, { day }) => day.length });

definePlugin({
  name: "wrong-rain",
  // @ts-expect-error: the forecast is a number
  rain_forecast: () => "much",
});

export async function firesIt(rowhouse: Rowhouse): Promise<number> {
  // @ts-expect-error: the day is text
  await rowhouse.hooks.rain_forecast.promise([], rowhouse, { day: 1 });
  const [millimetres = 0] = await rowhouse.hooks.rain_forecast.promise([], rowhouse, { day: "today" });
  return millimetres;
}

/** A plugin with a setting of its own, stated once. */
const rainSettings = defineSettings({
  rain_limit_mm: { default: 30, help: "Rain above this is a warning" },
  rain_warnings: { default: true, help: "Show warnings", check: (value) => (value === null ? "no" : null) },
});
declare module "rowhouse/plugin-api" {
  interface Settings extends SettingsOf<typeof rainSettings> {}
}
definePlugin({ name: "rain-settings", settings: rainSettings });

export function readsThem(rowhouse: Rowhouse): readonly [number, boolean] {
  // @ts-expect-error: the limit is a number
  const limit: string = rowhouse.setting("rain_limit_mm");
  // @ts-expect-error: the setting is called rain_limit_mm
  rowhouse.setting("rain_limit");
  return [rowhouse.setting("rain_limit_mm") + limit.length, rowhouse.setting("rain_warnings")];
}

/** Definitions of settings and hooks with mistakes. */
defineSettings({
  // @ts-expect-error: the text for listings is missing
  rain_colour: { default: "blue" },
  // @ts-expect-error: values are numbers, booleans or text
  rain_days: { default: ["Monday"], help: "Days" },
});

defineHooks({
  // @ts-expect-error: there is no kind `every`
  snow_forecast: { kind: "every" },
  // @ts-expect-error: results affect data, html, permissions or nothing
  fog_forecast: hook.first<{ readonly day: string }, string>({ affects: "pages" }),
  // @ts-expect-error: the policy is called failing
  hail_forecast: hook.notify<{ readonly day: string }>({ failure: "skip" }),
});

/** A promise in markup, whose text says nothing. */
export const forgotten = (name: Promise<string>): Html =>
  // @ts-expect-error: it has to be awaited
  html`<p>${name}</p>`;
