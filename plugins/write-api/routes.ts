import type { Route, RouteFor } from "rowhouse/plugin-api";
import { alterView } from "./alter/alter-view.js";
import { withoutReasons } from "./alter/redact-alteration.js";
import { columnTypeView } from "./alter/set-column-type.js";
import { batchView } from "./batch/batch-view.js";
import { refuseIfMatch } from "./conditional/if-match.js";
import { createView } from "./create/create-view.js";
import { deleteView } from "./delete/delete-row.js";
import { dropView } from "./delete/drop-table.js";
import { deleteRowsView, updateRowsView } from "./filtered/filtered-writes.js";
import { createIndexView, dropIndexView } from "./indexes/index-views.js";
import { insertView } from "./insert/insert.js";
import { disableSearchView, enableSearchView } from "./search/search-index.js";
import { withoutKeys } from "./target/redact-error.js";
import { updateView } from "./update/update-row.js";
import { upsertView } from "./upsert/upsert.js";

// The views find what the names stand for: what is missing is told only to those who may know.
const DATABASE = "/(?!-/)(?<database>[^/]+)";
const TABLE = `${DATABASE}/(?<table>[^/]+)`;
const ROW = `${TABLE}/(?<key>[^/]+)`;

type View = RouteFor<"instance">["view"];

const postRow = (name: string, path: string, view: View): Route => ({
  name,
  method: "POST",
  path: new RegExp(`${path}$`),
  target: "instance",
  view,
});

/** Of more than one row, which has no version. */
const post = (name: string, path: string, view: View): Route =>
  postRow(name, path, (visit) => {
    refuseIfMatch(visit);
    return view(visit);
  });

const withoutKeysOf =
  (view: View): View =>
  (visit) =>
    withoutKeys(visit, async () => view(visit));

/** Of the definition of a table. */
const postDefinition = (name: string, path: string, view: View): Route =>
  post(name, path, (visit) => withoutReasons(visit, async () => view(visit)));

/** Only where column types are known at all. */
export const columnTypeRoute: Route = postDefinition(
  "set-column-type",
  `${TABLE}/-/set-column-type`,
  columnTypeView,
);

/** The endpoints of the write API. */
export const writeRoutes: readonly Route[] = [
  post("create-table", `${DATABASE}/-/create`, createView),
  post("batch", `${DATABASE}/-/batch`, batchView),
  post("insert-rows", `${TABLE}/-/insert`, withoutKeysOf(insertView)),
  post("upsert-rows", `${TABLE}/-/upsert`, withoutKeysOf(upsertView)),
  post("update-rows", `${TABLE}/-/update`, updateRowsView),
  post("delete-rows", `${TABLE}/-/delete`, deleteRowsView),
  postDefinition("alter-table", `${TABLE}/-/alter`, alterView),
  postDefinition("create-index", `${TABLE}/-/create-index`, createIndexView),
  postDefinition("drop-index", `${TABLE}/-/drop-index`, dropIndexView),
  postDefinition("enable-search", `${TABLE}/-/enable-search`, enableSearchView),
  postDefinition("disable-search", `${TABLE}/-/disable-search`, disableSearchView),
  post("drop-table", `${TABLE}/-/drop`, dropView),
  postRow("update-row", `${ROW}/-/update`, withoutKeysOf(updateView)),
  postRow("delete-row", `${ROW}/-/delete`, withoutKeysOf(deleteView)),
];
