import { actorHooks } from "./contracts/actors.js";
import { commandHooks } from "./contracts/cli.js";
import { columnTypeHooks } from "./contracts/column-types.js";
import { facetHooks } from "./contracts/facets.js";
import { jumpHooks } from "./contracts/jump.js";
import { metadataHooks } from "./contracts/metadata.js";
import { pageHooks } from "./contracts/pages.js";
import { publishHooks } from "./contracts/publish.js";
import { queryHooks } from "./contracts/queries.js";
import { readScopeHooks } from "./contracts/read-scope.js";
import { csrfHooks } from "./contracts/sessions.js";
import { sqliteHooks } from "./contracts/sqlite.js";
import { tableHooks } from "./contracts/tables.js";
import { tokenHooks } from "./contracts/tokens.js";
import { eventHooks } from "./contracts/writing.js";

/**
 * The hooks of the bundled plugins, by the name of the plugin: a plugin that replaces one of them owns the same hooks.
 *
 * @example
 * export default definePlugin({ name: "my-facets", hooks: bundledHooks.facets });
 */
export const bundledHooks = {
  actors: actorHooks,
  columnTypes: columnTypeHooks,
  commands: commandHooks,
  csrf: csrfHooks,
  events: eventHooks,
  facets: facetHooks,
  jump: jumpHooks,
  metadata: metadataHooks,
  pages: pageHooks,
  publish: publishHooks,
  queries: queryHooks,
  sqlite: sqliteHooks,
  tokens: tokenHooks,
  tables: { ...tableHooks, ...readScopeHooks },
} as const;
