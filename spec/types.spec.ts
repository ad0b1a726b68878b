import {
  definePlugin,
  defineRoute,
  html,
  kernelHooks,
  type Database,
  type HookTable,
  type Html,
  type Kinds,
  type Page,
  type Permission,
  type Request,
  type Route,
  type Rowhouse,
} from "rowhouse/plugin-api";

// What must not compile. The build is the test: an expected error that does not come is itself an error.
// Importing this file does nothing.

/** A hook that nobody owns. */
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

/** A hook that is told, not asked. */
definePlugin({
  name: "asks-for-too-much",
  // @ts-expect-error: actor_from_request is handed no database
  actor_from_request: (_rowhouse, { database }) => database,
});

/** A plugin without a name. */
// @ts-expect-error: the name is what permissions, settings and messages say
definePlugin({ startup: () => undefined });

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
// @ts-expect-error: what happens when nobody has an opinion must be said
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
  // @ts-expect-error: a setting that nobody contributed
  rowhouse.setting("colour_of_the_door");
  // @ts-expect-error: a service that nobody declared
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

/** A run-time hook table that forgets a hook. */
const { startup: _startup, ...forgetful } = kernelHooks;
// @ts-expect-error: startup is missing
export const incomplete: Kinds<Pick<HookTable, keyof typeof kernelHooks>> = forgetful;
