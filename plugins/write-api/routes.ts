import type { Route, RouteFor } from "rowhouse/plugin-api";
import { alterView } from "./alter/alter-view.js";
import { hideFailureReasons } from "./alter/redact-alteration.js";
import { setColumnTypeView } from "./alter/set-column-type.js";
import { batchView } from "./batch/batch-view.js";
import { rejectIfMatch } from "./conditional/if-match.js";
import { createView } from "./create/create-view.js";
import { deleteView } from "./delete/delete-row.js";
import { dropView } from "./delete/drop-table.js";
import { deleteRowsView, updateRowsView } from "./filtered/filtered-writes.js";
import { createIndexView, dropIndexView } from "./indexes/index-views.js";
import { insertView } from "./insert/insert.js";
import { disableSearchView, enableSearchView } from "./search/search-index.js";
import { streamFormat } from "./stream/stream-request.js";
import { streamView } from "./stream/stream-view.js";
import { hideKeyColumns } from "./target/redact-error.js";
import { updateView } from "./update/update-row.js";
import { upsertView } from "./upsert/upsert.js";

// The target is `instance`: the views look up the names themselves, so that a 404 only reaches actors who may know
// what exists.
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

/** A route for a write that is not about one row. It has no row version to compare, so `If-Match` is rejected. */
const post = (name: string, path: string, view: View): Route =>
  postRow(name, path, (visit) => {
    rejectIfMatch(visit);
    return view(visit);
  });

const hidingKeyColumns =
  (view: View): View =>
  (visit) =>
    hideKeyColumns(visit, async () => view(visit));

/** Rows as JSON go to `view`; CSV and newline-delimited JSON are streamed. */
const acceptingStreams =
  (view: View, { upserts }: { readonly upserts: boolean }): View =>
  async (visit) => {
    const format = streamFormat(visit.request);
    return format === null ? view(visit) : streamView(visit, format, { upserts });
  };

/** A route that changes the definition of a table. */
const postDefinition = (name: string, path: string, view: View): Route =>
  post(name, path, (visit) => hideFailureReasons(visit, async () => view(visit)));

/** Registered only when a plugin provides the service `columnTypes`. */
export const columnTypeRoute: Route = postDefinition(
  "set-column-type",
  `${TABLE}/-/set-column-type`,
  setColumnTypeView,
);

/** The endpoints of the write API. */
export const writeRoutes: readonly Route[] = [
  post("create-table", `${DATABASE}/-/create`, createView),
  post("batch", `${DATABASE}/-/batch`, batchView),
  post(
    "insert-rows",
    `${TABLE}/-/insert`,
    hidingKeyColumns(acceptingStreams(insertView, { upserts: false })),
  ),
  post("upsert-rows", `${TABLE}/-/upsert`, hidingKeyColumns(acceptingStreams(upsertView, { upserts: true }))),
  post("update-rows", `${TABLE}/-/update`, updateRowsView),
  post("delete-rows", `${TABLE}/-/delete`, deleteRowsView),
  postDefinition("alter-table", `${TABLE}/-/alter`, alterView),
  postDefinition("create-index", `${TABLE}/-/create-index`, createIndexView),
  postDefinition("drop-index", `${TABLE}/-/drop-index`, dropIndexView),
  postDefinition("enable-search", `${TABLE}/-/enable-search`, enableSearchView),
  postDefinition("disable-search", `${TABLE}/-/disable-search`, disableSearchView),
  post("drop-table", `${TABLE}/-/drop`, dropView),
  postRow("update-row", `${ROW}/-/update`, hidingKeyColumns(updateView)),
  postRow("delete-row", `${ROW}/-/delete`, hidingKeyColumns(deleteView)),
];
