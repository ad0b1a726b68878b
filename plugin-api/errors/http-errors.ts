// Errors about the method, the address and the body of a request.
import { RowhouseError } from "./classes.js";

/** The path is served with other methods, which the header `Allow` lists. */
export class MethodNotAllowed extends RowhouseError {
  readonly status = 405;
  readonly code = "METHOD_NOT_ALLOWED";
  override readonly headers: Readonly<Record<string, string>>;
  constructor(allowed: readonly string[]) {
    super("Method not allowed");
    this.headers = { Allow: allowed.join(", ") };
  }
}

/** The body of the request exceeds the limit. Thrown before all of it was read. */
export class PayloadTooLarge extends RowhouseError {
  readonly status = 413;
  readonly code = "PAYLOAD_TOO_LARGE";
  constructor(maxBytes: number) {
    super(`Request body exceeded maximum size of ${maxBytes} bytes`);
  }
}

/** The target of a redirect is longer than clients accept in a header. */
export class UriTooLong extends RowhouseError {
  readonly status = 414;
  readonly code = "URI_TOO_LONG";
  constructor() {
    super("The address is too long for a redirect: send fewer or shorter arguments");
  }
}

/** The body of a request is compressed. A client may send it again as it is. */
export class UnsupportedMediaType extends RowhouseError {
  readonly status = 415;
  readonly code = "UNSUPPORTED_MEDIA_TYPE";
  override readonly headers = { "Accept-Encoding": "identity" };
  constructor(encoding: string) {
    super(`Bodies with Content-Encoding ${encoding} are not supported: send the body uncompressed`);
  }
}

/** The body of a request arrives too slowly. The connection is closed, and the rest of the body is not read. */
export class RequestTimeout extends RowhouseError {
  readonly status = 408;
  readonly code = "REQUEST_TIMEOUT";
  override readonly headers: Readonly<Record<string, string>> = { connection: "close" };
}
