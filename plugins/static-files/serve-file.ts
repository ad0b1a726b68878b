import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import type { Reply, ReplyHeaders } from "rowhouse/plugin-api";
import { reply } from "rowhouse/plugin-api";
import { mediaType } from "./media-types.js";

const NOT_FOUND = reply.html("404: File not found", 404);
const OUTSIDE = reply.html("404: Path not inside root path", 404);
const IS_FOLDER = reply.html("403: Directory listing is not allowed", 403);

/**
 * A file below a folder, by its path as it stands in the URL. Nothing outside the folder is ever opened,
 * whatever the path says and wherever links in the folder lead.
 */
export async function serveFile(folder: string, rawPath: string, headers: ReplyHeaders = {}): Promise<Reply> {
  const path = decoded(rawPath);
  if (path === null) return NOT_FOUND;
  const asked = join(folder, path);
  if (!isInside(folder, asked)) return OUTSIDE;
  const [root, file] = await Promise.all([realPath(folder), realPath(asked)]);
  if (root === null || file === null) return NOT_FOUND;
  if (!isInside(root, file)) return OUTSIDE;
  const found = await stat(file);
  if (found.isDirectory()) return IS_FOLDER;
  if (!found.isFile()) return NOT_FOUND;
  return {
    status: 200,
    headers: { "content-type": mediaType(file), "content-length": String(found.size), ...headers },
    body: createReadStream(file),
  };
}

/** Percent-decoded once; null for what is no path: bad encoding, NUL, backslashes. */
function decoded(rawPath: string): string | null {
  try {
    const path = decodeURIComponent(rawPath);
    return /[\0\\]/.test(path) ? null : path;
  } catch {
    return null;
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith("../"));
}

const realPath = async (path: string): Promise<string | null> => {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
};
