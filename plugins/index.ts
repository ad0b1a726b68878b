import type { Plugin } from "rowhouse/plugin-api";
import actors from "./actors/index.js";
import actorCookie from "./actor-cookie/index.js";
import advice from "./advice/index.js";
import apiExplorer from "./api-explorer/index.js";
import audit from "./audit/index.js";
import autocomplete from "./autocomplete/index.js";
import backup from "./backup/index.js";
import blob from "./blob/index.js";
import browse from "./browse/index.js";
import charts from "./charts/index.js";
import columnTypes from "./column-types/index.js";
import columnStats from "./column-stats/index.js";
import compression from "./compression/index.js";
import commands from "./commands/index.js";
import confineSql from "./confine-sql/index.js";
import cors from "./cors/index.js";
import copy from "./copy/index.js";
import csrf from "./csrf/index.js";
import csv from "./csv/index.js";
import doctor from "./doctor/index.js";
import download from "./download/index.js";
import editPages from "./edit-pages/index.js";
import errors from "./errors/index.js";
import events from "./events/index.js";
import extraFilters from "./extra-filters/index.js";
import facets from "./facets/index.js";
import grouping from "./grouping/index.js";
import httpCache from "./http-cache/index.js";
import importFiles from "./import/index.js";
import internal from "./internal/index.js";
import introspection from "./introspection/index.js";
import jump from "./jump/index.js";
import json from "./json/index.js";
import limits from "./limits/index.js";
import login from "./login/index.js";
import map from "./map/index.js";
import messages from "./messages/index.js";
import metadata from "./metadata/index.js";
import metrics from "./metrics/index.js";
import openapi from "./openapi/index.js";
import pages from "./pages/index.js";
import authorization from "./authorization/index.js";
import permissionPages from "./permission-pages/index.js";
import permissions from "./permissions/index.js";
import probes from "./probes/index.js";
import pluginConfig from "./plugin-config/index.js";
import postgres from "./postgres/index.js";
import publish from "./publish/index.js";
import queries from "./queries/index.js";
import redirects from "./redirects/index.js";
import schemaDiagram from "./schema-diagram/index.js";
import rowDetails from "./row-details/index.js";
import savedViews from "./saved-views/index.js";
import search from "./search/index.js";
import sqlEditor from "./sql-editor/index.js";
import sqlite from "./sqlite/index.js";
import staticFiles from "./static-files/index.js";
import pluginGuard from "./plugin-guard/index.js";
import requestLog from "./request-log/index.js";
import rowAccess from "./row-access/index.js";
import tableLayout from "./table-layout/index.js";
import tables from "./tables/index.js";
import timing from "./timing/index.js";
import tokens from "./tokens/index.js";
import trace from "./trace/index.js";
import writeApi from "./write-api/index.js";

/** The bundled plugins in firing order: the product's table of contents. */
// oxfmt-ignore
export const bundledPlugins: readonly Plugin[] = [
  pluginGuard,
  sqlite,
  postgres,
  commands,
  publish,
  backup,
  doctor,
  copy,
  events,
  metadata,
  pluginConfig,
  authorization,
  permissions,
  confineSql,
  tokens,
  actorCookie,
  actors,
  login,
  limits,
  csrf,
  messages,
  permissionPages,
  introspection,
  probes,
  // Before paths of databases, which would match theirs.
  staticFiles,
  pages,
  // Before the pages, whose path also matches the file's.
  download,
  rowAccess,
  advice,
  // Before queries: a table's name wins over a query's.
  tables,
  writeApi,
  // In the order of their conditions.
  extraFilters,
  search,
  facets,
  grouping,
  autocomplete,
  queries,
  browse,
  apiExplorer,
  openapi,
  jump,
  sqlEditor,
  charts,
  map,
  columnStats,
  schemaDiagram,
  tableLayout,
  rowDetails,
  editPages,
  importFiles,
  internal,
  // After the database that they write to.
  columnTypes,
  audit,
  savedViews,
  json,
  csv,
  blob,
  httpCache,
  cors,
  trace,
  compression,
  timing,
  metrics,
  requestLog,
  redirects,
  errors,
];
