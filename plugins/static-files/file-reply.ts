import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { contentType } from "mime-types";
import { lazyBody, NotFound, reply } from "rowhouse/plugin-api";
import type { BodyStream, Reply, ReplyHeaders, Request } from "rowhouse/plugin-api";
import send from "send";

/** A file that a request asks for. Both paths are real: no link, `.` or `..` is left in them. */
export interface FoundFile {
  readonly folder: string;
  /** Below `folder`, with `/` between its parts. */
  readonly path: string;
  /** The name in the address, whose extension tells the type. */
  readonly name: string;
}

/** Published: text, where the extension says nothing. */
const UNKNOWN_TYPE = "text/plain; charset=utf-8";

/**
 * The file, the part of it that `Range` asks for (206, 416), or what conditions of the request make of it (304,
 * 412). The package `send` decides which; it is given a response that only collects what it decides.
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
    // In place of the library's own reading, which would open the file at once.
    sending.stream = (path, range) => response.end(contents(path, range as PartOfFile));
    sending.pipe(response as unknown as NodeJS.WritableStream);
  });
}

/**
 * What the library reads of a request. HEAD is answered as GET is; the server leaves out the body. A weak tag in
 * `If-Range` is one of the compressed file, of which no part can be continued with a part of the file itself.
 */
function conditionsOf({ headers }: Request): Readable {
  const { range, ...others } = headers;
  const isOfCompressed = headers["if-range"]?.trimStart().startsWith("W/") === true;
  const conditions = range === undefined || isOfCompressed ? others : headers;
  return { method: "GET", headers: conditions } as unknown as Readable;
}

/** Strong, so that a download can be continued; the library's own tags are weak. */
const strongTag = ({ size, mtime }: Stats): string =>
  `"${size.toString(16)}-${mtime.getTime().toString(16)}"`;

interface Failure {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function failureReply({ status, message, headers = {} }: Failure): Reply {
  // The file was removed, or its folder closed, after it was found.
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
    const file = await open(path).catch(() => {
      throw new NotFound("File not found");
    });
    return file.createReadStream({ start, end });
  });

/** As much of Node's response as `send` uses. */
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
