import { authorizationSettings, permissionsSettings } from "./access.js";
import { actorHooks } from "./actors.js";
import { autocompleteSettings } from "./autocomplete.js";
import { commandHooks } from "./cli.js";
import { columnTypeHooks } from "./column-types.js";
import { confineSqlSettings } from "./confinement.js";
import { facetHooks, facetsSettings } from "./facets.js";
import { jumpHooks } from "./jump.js";
import { metadataHooks } from "./metadata.js";
import { metricHooks } from "./metrics.js";
import { openapiHooks } from "./openapi.js";
import {
  limitsSettings,
  metricsSettings,
  probesSettings,
  requestLogSettings,
  timingSettings,
} from "./operation.js";
import { pageHooks, pagesSettings } from "./pages.js";
import { pluginGuardSettings } from "./plugin-guard.js";
import { postgresSettings } from "./postgres.js";
import { publishHooks } from "./publish.js";
import { queryHooks } from "./queries.js";
import { readScopeHooks } from "./read-scope.js";
import {
  csvSettings,
  downloadSettings,
  errorsSettings,
  httpCacheSettings,
  traceSettings,
} from "./replies.js";
import { csrfHooks, loginSettings } from "./sessions.js";
import { sqliteHooks, sqliteSettings } from "./sqlite.js";
import { tableHooks, tablesSettings } from "./tables.js";
import { textHooks, textSettings } from "./texts.js";
import { tokenHooks, tokensSettings } from "./tokens.js";
import { auditSettings, eventHooks, writeApiSettings } from "./writing.js";

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
  metrics: metricHooks,
  openapi: openapiHooks,
  pages: { ...pageHooks, ...textHooks },
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
  authorization: authorizationSettings,
  autocomplete: autocompleteSettings,
  confineSql: confineSqlSettings,
  csv: csvSettings,
  download: downloadSettings,
  errors: errorsSettings,
  facets: facetsSettings,
  httpCache: httpCacheSettings,
  limits: limitsSettings,
  login: loginSettings,
  metrics: metricsSettings,
  pages: [...pagesSettings, ...textSettings],
  permissions: permissionsSettings,
  pluginGuard: pluginGuardSettings,
  probes: probesSettings,
  requestLog: requestLogSettings,
  postgres: postgresSettings,
  sqlite: sqliteSettings,
  tables: tablesSettings,
  timing: timingSettings,
  tokens: tokensSettings,
  trace: traceSettings,
  writeApi: writeApiSettings,
} as const;
