import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { contentType } from "mime-types";
import { NotFound, reply, type Reply, type ReplyHeaders, type Request } from "rowhouse/plugin-api";
import { lazyBody, type BodyStream } from "rowhouse/plugin-api/http";
import send from "send";

/** A requested file. Both paths are real paths, without links, `.` and `..`. */
export interface FoundFile {
  readonly folder: string;
  /** The path below `folder` with `/` between its parts. */
  readonly path: string;
  /** The name in the address. Its extension determines the content type. */
  readonly name: string;
}

/** The published type of files with an unknown extension. */
const UNKNOWN_TYPE = "text/plain; charset=utf-8";

/**
 * The file, a part of it (206, 416), or the result of conditional headers (304, 412). The package `send` decides; it
 * gets a response object that only collects status and headers.
 */
export function fileReply(request: Request, file: FoundFile, headers: ReplyHeaders): Promise<Reply> {
  return new Promise((resolve) => {
    const response = new CollectedResponse((made) => resolve(reply.withHeaders(made, headers)));
    response.setHeader("content-type", contentType(file.name) || UNKNOWN_TYPE);
    const sending = send(conditionsOf(request), `/${encodeURIComponent(file.path)}`, {
      root: file.folder,
      index: false,
      dotfiles: "allow",
      cacheControl: false,
    });
    sending.on("headers", (_response: unknown, _path: string, stat: Stats) =>
      response.setHeader("etag", strongTag(stat)),
    );
    sending.on("error", (error: Failure) => resolve(failureReply(error)));
    // Replaces the function of `send` that opens the file immediately.
    sending.stream = (path, range) => response.end(contents(path, range as PartOfFile));
    sending.pipe(response as unknown as NodeJS.WritableStream);
  });
}

/**
 * The parts of a request that `send` reads. HEAD is handled as GET; the server omits the body. A weak tag in
 * `If-Range` belongs to the compressed file. Parts of the file itself cannot continue it.
 */
function conditionsOf({ headers }: Request): Readable {
  const { range, ...others } = headers;
  const isOfCompressed = headers["if-range"]?.trimStart().startsWith("W/") === true;
  const conditions = range === undefined || isOfCompressed ? others : headers;
  return { method: "GET", headers: conditions } as unknown as Readable;
}

/** A strong tag, so that downloads can be continued. The tags of `send` are weak. */
const strongTag = ({ size, mtime }: Stats): string =>
  `"${size.toString(16)}-${mtime.getTime().toString(16)}"`;

interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function failureReply({ status, message, headers = {} }: Failure): Reply {
  // The file was removed, or its folder was closed, after it was found.
  if (status === 404 || status >= 500) return reply.html("404: File not found", 404);
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return reply.html(`${status}: ${message}`, status, Object.fromEntries(lower) as ReplyHeaders);
}

interface PartOfFile {
  readonly start: number;
  readonly end: number;
}

const contents = (path: string, { start, end }: PartOfFile): BodyStream =>
  lazyBody(async () => {
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      // Without a free descriptor the file is still there.
      throw error.code === "EMFILE" || error.code === "ENFILE" ? error : new NotFound("File not found");
    });
    return file.createReadStream({ start, end });
  });

/** The part of Node's response that `send` uses. */
class CollectedResponse {
  statusCode = 200;
  readonly headersSent = false;
  readonly #headers: Record<string, string> = {};

  constructor(private readonly done: (made: Reply) => void) {}

  setHeader(name: string, value: string | number): void {
    this.#headers[name.toLowerCase()] = String(value);
  }
  getHeader(name: string): string | undefined {
    return this.#headers[name.toLowerCase()];
  }
  removeHeader(name: string): void {
    delete this.#headers[name.toLowerCase()];
  }
  getHeaderNames(): readonly string[] {
    return Object.keys(this.#headers);
  }
  end(body: BodyStream | "" = ""): void {
    this.done({ status: this.statusCode, headers: this.#headers, body });
  }
}
