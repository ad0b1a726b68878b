import { createReadStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import {
  Forbidden,
  NotFound,
  definePlugin,
  permissionChain,
  visibleItems,
  type Actor,
  type Chain,
  type Database,
  type Reply,
  type ReplyHeaders,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { isRoot } from "rowhouse/plugin-api/access";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { DatabaseNotFound } from "rowhouse/plugin-api/errors";
import { isPrivateTable } from "rowhouse/plugin-api/names";
import { attachment, hasTag, lazyBody, tildeDecode, type BodyStream } from "rowhouse/plugin-api/http";

/** The file of an immutable database: `/<database>.db`. */
export default definePlugin({
  name: "download",
  deterministic: true,
  unguarded: true,
  requires: ["rowAccess"],
  provides: ["downloads"],
  settings: bundledSettings.download,
  setup(rowhouse) {
    rowhouse.provide("downloads", {
      mayDownload: async (actor, database) =>
        (await rowhouse.permissions.allowed(actor, downloadChain(database.name))) &&
        (await isDownloadable(rowhouse, actor, database)),
    });
    return {
      register_routes: () => ({
        name: "download",
        path: /^\/(?<name>[^/.]+)\.db$/,
        target: "instance",
        view: downloadView,
      }),
    };
  },
});

/**
 * Sends the file of a database unchanged.
 *
 * @throws Forbidden if permissions, settings or the kind of database do not allow it
 * @throws NotFound if there is no such database or no file
 */
async function downloadView({ rowhouse, request, actor, params }: Visit): Promise<Reply> {
  const name = tildeDecode(params["name"] ?? "");
  await rowhouse.permissions.require(actor, downloadChain(name));
  const database = rowhouse.databases.get(name);
  if (database === undefined) throw new DatabaseNotFound(name, "Invalid database");
  if (database.memory) throw new NotFound("Cannot download in-memory databases");
  if (!(await isDownloadable(rowhouse, actor, database)))
    throw new Forbidden("Database download is forbidden");
  const { path, hash, sizeBytes } = await database.describe();
  if (path === null) throw new NotFound("Cannot download in-memory databases");
  if (database.mutable) return snapshotReply(database, basename(path), request.signal);
  const tag = hash === null ? null : `"${hash}"`;
  const etag: ReplyHeaders = tag === null ? {} : { etag: tag };
  if (tag !== null && hasTag(request.headers["if-none-match"], tag)) {
    return { status: 304, headers: etag, body: "" };
  }
  const headers: ReplyHeaders = {
    "content-type": "application/octet-stream",
    "content-disposition": attachment(basename(path)),
    "content-length": String(sizeBytes),
    ...etag,
  };
  return { status: 200, headers, body: lazyBody(() => contents(path)) };
}

/** Opens the file before headers are sent: a missing file gives an error page, not a broken download. */
async function contents(path: string): Promise<BodyStream> {
  const file = await open(path).catch(() => {
    throw new NotFound("The file of this database can't be read");
  });
  return file.createReadStream();
}

const downloadChain = (database: string): Chain => [
  ["view-database-download", database],
  ...permissionChain({ database }),
];

/** True if the file of a database is offered, and contains nothing that the actor may not view. */
async function isDownloadable(rowhouse: Rowhouse, actor: Actor | null, database: Database): Promise<boolean> {
  if (!rowhouse.setting("allow_download") || database.memory || !database.capabilities.download) return false;
  if (database.mutable && !(await mayCopy(rowhouse, actor, database))) return false;
  return mayReadEverything(rowhouse, actor, database);
}

/**
 * A file that may change is copied for each download, which takes time and disk space. So it is only for actors to whom
 * `view-database-download` was granted, not for those to whom the default allows it.
 */
async function mayCopy(rowhouse: Rowhouse, actor: Actor | null, database: Database): Promise<boolean> {
  if (database.backup === undefined) return false;
  if (isRoot(actor)) return true;
  const { opinion } = await rowhouse.permissions.decide(actor, "view-database-download", database.name);
  return opinion === true;
}

/**
 * The file contains every row of every table, so the actor must be able to read all of them. Tables that plugins keep for
 * themselves do not count: no actor may view them, and one of them would refuse the file to everyone.
 */
async function mayReadEverything(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Promise<boolean> {
  const tables = [...(await database.schema()).tables.values()].filter(({ name }) => !isPrivateTable(name));
  const shown = await visibleItems(rowhouse.permissions, actor, tables, ({ name }) =>
    permissionChain({ database, table: name }),
  );
  if (shown.length < tables.length) return false;
  const readable = await rowhouse.service("rowAccess").readableMany(actor, database, tables);
  return readable.every(({ restricted }) => !restricted);
}

/** Sends a copy of the current state of a database that may change, and removes the copy. */
async function snapshotReply(database: Database, name: string, signal: AbortSignal): Promise<Reply> {
  const folder = await mkdtemp(join(tmpdir(), `rowhouse-download-${hostname()}-${process.pid}-`));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "snapshot.db");
    await database.backup?.copyTo(path, { signal });
    const { size } = await stat(path);
    // Closed at its end, and by the server if it is not sent. A copy of a killed process is removed at the next start.
    const body = createReadStream(path);
    body.once("close", () => void remove());
    return {
      status: 200,
      headers: {
        "content-type": "application/octet-stream",
        "content-disposition": attachment(name),
        "content-length": String(size),
        "cache-control": "no-store",
      },
      body,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
