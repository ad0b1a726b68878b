import { permissionsSettings } from "./contracts/access.js";
import { actorHooks } from "./contracts/actors.js";
import { commandHooks } from "./contracts/cli.js";
import { columnTypeHooks } from "./contracts/column-types.js";
import { confineSqlSettings } from "./contracts/read-allowlist.js";
import { facetHooks, facetsSettings } from "./contracts/facets.js";
import {
  csvSettings,
  downloadSettings,
  errorsSettings,
  httpCacheSettings,
  traceSettings,
} from "./contracts/formats.js";
import { jumpHooks } from "./contracts/jump.js";
import { metadataHooks } from "./contracts/metadata.js";
import { pageHooks, pagesSettings } from "./contracts/pages.js";
import { pluginGuardSettings } from "./contracts/plugin-guard.js";
import { publishHooks } from "./contracts/publish.js";
import { queryHooks } from "./contracts/queries.js";
import { readScopeHooks } from "./contracts/read-scope.js";
import { csrfHooks, loginSettings } from "./contracts/sessions.js";
import { sqliteHooks, sqliteSettings } from "./contracts/sqlite.js";
import { tableHooks, tablesSettings } from "./contracts/tables.js";
import { tokenHooks, tokensSettings } from "./contracts/tokens.js";
import { auditSettings, eventHooks, writeApiSettings } from "./contracts/writing.js";

/**
 * The hooks of the bundled plugins, by the name of the plugin: a plugin that replaces one of them owns the same hooks.
 *
 * @example
 * definePlugin({ name: "my-facets", hooks: bundledHooks.facets }).name; // "my-facets"
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
  rowAccess: readScopeHooks,
  tables: tableHooks,
} as const;

/** The settings of the bundled plugins, by the name of the plugin. */
export const bundledSettings = {
  audit: auditSettings,
  confineSql: confineSqlSettings,
  csv: csvSettings,
  download: downloadSettings,
  errors: errorsSettings,
  facets: facetsSettings,
  httpCache: httpCacheSettings,
  login: loginSettings,
  pages: pagesSettings,
  permissions: permissionsSettings,
  pluginGuard: pluginGuardSettings,
  sqlite: sqliteSettings,
  tables: tablesSettings,
  tokens: tokensSettings,
  trace: traceSettings,
  writeApi: writeApiSettings,
} as const;
