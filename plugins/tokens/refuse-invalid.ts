import { RowhouseError, type Actor, type Request } from "rowhouse/plugin-api";

/** The bearer token of a request is not valid. The message does not say which check failed. */
class InvalidToken extends RowhouseError {
  readonly status = 401;
  readonly code = "INVALID_TOKEN";
  override readonly title = "Unauthorized";
  override readonly headers = { "WWW-Authenticate": 'Bearer error="invalid_token"' };
  constructor() {
    super("The API token is not valid. Create a new one, or send the request without it.");
  }
}

/**
 * Returns `intercept_request` for the setting `refuse_invalid_tokens`. It ends requests whose token was refused, also if
 * a cookie names an actor. Actors with a `token` are from another plugin that accepted the token.
 *
 * @throws InvalidToken
 */
export const refuseInvalid =
  (refused: WeakSet<Request>) =>
  (
    _rowhouse: unknown,
    { request, actor }: { readonly request: Request; readonly actor: Actor | null },
  ): null => {
    if (refused.has(request) && !actor?.["token"]) throw new InvalidToken();
    return null;
  };
