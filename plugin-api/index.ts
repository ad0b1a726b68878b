// What most plugins import. The rest is in the folders, each a path of its own: `rowhouse/plugin-api/sql`, ...
export { actorName, permissionChain, visibleItems } from "./access/index.js";
export type {
  Actor,
  Chain,
  Decision,
  Opinion,
  Permission,
  PermissionCheck,
  Resource,
} from "./access/index.js";
export type { Command, Events, Link, MenuItem, MetadataBlock } from "./contracts/index.js";
export { isObject } from "./engine/index.js";
export type {
  Column,
  Database,
  Schema,
  SqlInput,
  SqlParams,
  SqlValue,
  Table,
  Transaction,
} from "./engine/index.js";
export {
  BadRequest,
  Forbidden,
  NotFound,
  RowhouseError,
  StartupError,
  WriteRejected,
  messageOf,
} from "./errors/index.js";
export { Html, csrfField, html, pageReply, raw } from "./html/index.js";
export { defineRoute, reply, withQuery } from "./http/index.js";
export type {
  Cell,
  Form,
  Page,
  PageContexts,
  Renderer,
  Reply,
  ReplyHeaders,
  Request,
  Route,
  RouteFor,
  RowSet,
  Target,
  Targets,
  Visit,
} from "./http/index.js";
export { jsonText } from "./json/index.js";
export { API_VERSION, defineHooks, definePlugin, defineSettings, hook } from "./kernel/index.js";
export type {
  Awaitable,
  HookTable,
  Log,
  Plugin,
  Rowhouse,
  Services,
  Setting,
  SettingValue,
  Settings,
} from "./kernel/index.js";
export { quoteIdentifier } from "./sql/index.js";
