import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, relative } from "node:path";
import { reply, type Reply, type ReplyHeaders, type Request } from "rowhouse/plugin-api";

const NOT_FOUND = reply.html("404: File not found", 404);
const OUTSIDE = reply.html("404: Path not inside root path", 404);
const IS_FOLDER = reply.html("403: Directory listing is not allowed", 403);
const UNREADABLE = reply.html("403: The server may not read this file", 403);

/** The file to serve: a folder, the path below it in the URL, and headers that are always sent. */
export interface AskedFile {
  readonly folder: string;
  readonly path: string;
  readonly headers: ReplyHeaders;
}

/**
 * A file below a folder. Files outside of the folder are never opened, neither by the path nor through links in the
 * folder. Files and folders whose name begins with a dot are not served, except below `.well-known`.
 */
export async function serveFile(request: Request, asked: AskedFile): Promise<Reply> {
  const { folder, headers } = asked;
  const path = decoded(asked.path);
  if (path === null) return NOT_FOUND;
  const wanted = join(folder, path);
  if (!isInside(folder, wanted)) return OUTSIDE;
  if (isHidden(relative(folder, wanted))) return NOT_FOUND;
  const [root, file] = await Promise.all([realPath(folder), realPath(wanted)]);
  if (root === null || file === null) return NOT_FOUND;
  if (!isInside(root, file)) return OUTSIDE;
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) return IS_FOLDER;
  if (found?.isFile() !== true) return NOT_FOUND;
  // Checked here and not only while reading, so that HEAD, which does not read, gets the same status as GET.
  if (!(await isReadable(file))) return UNREADABLE;
  // Loads the list of media types.
  const { fileReply } = await import("./file-reply.js");
  return fileReply(request, { folder: root, path: relative(root, file), name: basename(wanted) }, headers);
}

/** Percent-decoded once; null for invalid paths: bad encoding, NUL, backslashes. */
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

/** Such files are not meant for clients: `.git`, `.env`, `.htpasswd`. */
const isHidden = (path: string): boolean =>
  path.split("/").some((part, index) => part.startsWith(".") && !(index === 0 && part === ".well-known"));

const realPath = (path: string): Promise<string | null> => realpath(path).catch(() => null);

const isReadable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
