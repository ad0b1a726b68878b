// `rowhouse/browser`: what scripts of plugins use in browsers, where Node is not available. A bundler puts it into the
// script of the plugin. Scripts that are not bundled import the same functions from `/-/static/browser.js`.

export { shortText } from "../html/short-text.js";
export { indentJson, jsonTokens } from "../json/tokens.js";
export { tildeEncode } from "../http/tilde-encode.js";
export { sqlTokens } from "../sql/tokens.js";
export { changedQuery, fetchDocument, fetchRows } from "./documents.js";
export type { RowsDocument } from "./documents.js";
export { firePageEvent, onPage } from "./events.js";
export type { PageEvents } from "./events.js";
export { pageLanguage, scriptTexts } from "./texts.js";
export { announce, undoLast } from "./announce.js";
export { loadPart } from "./load-part.js";
export { changedHash } from "./panel-hash.js";
export { copyText } from "./copy-text.js";
export { button, element } from "./element.js";
export { columnsOf, keyOf, pageTable, rowAt, rowsOf, rowsTable } from "./places.js";
export type { CellPlace, ColumnPlace, PageTable, RowPlace } from "./places.js";
export { refreshRow, refreshRows } from "./refresh.js";
export { neighbours, rememberRows, storeList } from "./row-list.js";
export type { Neighbour, Neighbours, RowList } from "./row-list.js";
export { addToSlot, contributionsTo, onSlotChange } from "./slots.js";
export type { MenuEntry, Panel, SelectionAction, SlotName, Slots, ToolbarButton } from "./slots.js";
export { tryRows, WriteRefused, writeRows } from "./writing.js";
export type { RowOperation, Written } from "./writing.js";
