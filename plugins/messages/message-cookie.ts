import { reply, type Reply, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { BadSignature } from "rowhouse/plugin-api/errors";
import { cookie, onReply } from "rowhouse/plugin-api/http";
import type { Message, MessageAction, MessageLevel } from "rowhouse/plugin-api/contracts";

const MESSAGES_COOKIE = "rowhouse_messages";
const NAMESPACE = "messages";

/** Levels in the order of their published numbers, which start at 1. */
export const LEVELS: readonly MessageLevel[] = ["info", "warning", "error"];

interface Waiting {
  readonly messages: readonly Message[];
  /** True if the messages differ from those in the cookie. */
  readonly isChanged: boolean;
}

const waitingFor = new WeakMap<Request, Waiting>();

/** Adds a message for the next page. */
export function addMessage(rowhouse: Rowhouse, request: Request, message: Message): void {
  const { level } = message;
  if (!LEVELS.includes(level))
    throw new RangeError(`The level of a message is info, warning or error, not ${String(level)}`);
  const { messages } = waiting(rowhouse, request);
  keep(rowhouse, request, { messages: [...messages, message], isChanged: true });
}

/** Returns all messages and removes them. */
export function takeMessages(rowhouse: Rowhouse, request: Request): readonly Message[] {
  const { messages, isChanged } = waiting(rowhouse, request);
  const isKnownToBrowser = request.cookies.has(MESSAGES_COOKIE);
  keep(rowhouse, request, { messages: [], isChanged: isChanged || isKnownToBrowser });
  return messages;
}

/** Keeps the messages during the request. The reply sets the cookie to those that are left at its end. */
function keep(rowhouse: Rowhouse, request: Request, kept: Waiting): void {
  if (!waitingFor.has(request)) onReply(request, (made) => withCookie(rowhouse, request, made));
  waitingFor.set(request, kept);
}

function withCookie(rowhouse: Rowhouse, request: Request, made: Reply): Reply {
  const content = cookieValue(rowhouse, request);
  if (content === null) return made;
  const secure = request.secure || rowhouse.setting("force_https_urls");
  const gone = content === "" ? { expires: new Date(0), maxAgeSeconds: 0 } : {};
  return reply.withHeaders(made, { "set-cookie": cookie(MESSAGES_COOKIE, content, { secure, ...gone }) });
}

/** The new value of the cookie: empty to delete it, null to keep it. */
function cookieValue(rowhouse: Rowhouse, request: Request): string | null {
  const known = waitingFor.get(request);
  if (known?.isChanged !== true) return null;
  if (known.messages.length === 0) return request.cookies.has(MESSAGES_COOKIE) ? "" : null;
  const whole = rowhouse.sign(known.messages.map(storedMessage), NAMESPACE);
  if (whole.length <= LONGEST_COOKIE) return whole;
  return rowhouse.sign(
    known.messages.map(({ text, level }) => storedMessage({ text, level })),
    NAMESPACE,
  );
}

/** Browsers drop cookies of more than 4096 bytes, with their name and attributes. */
const LONGEST_COOKIE = 3_900;

const storedMessage = ({ text, level, action }: Message): readonly unknown[] => {
  const number = LEVELS.indexOf(level) + 1;
  return action === undefined ? [text, number] : [text, number, action];
};

const waiting = (rowhouse: Rowhouse, request: Request): Waiting =>
  waitingFor.get(request) ?? { messages: messagesOfCookie(rowhouse, request), isChanged: false };

function messagesOfCookie(rowhouse: Rowhouse, request: Request): readonly Message[] {
  const value = request.cookies.get(MESSAGES_COOKIE);
  if (value === undefined) return [];
  try {
    return readMessages(rowhouse.unsign(value, NAMESPACE));
  } catch (error) {
    if (error instanceof BadSignature) return [];
    throw error;
  }
}

function readMessages(value: unknown): readonly Message[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const [text, number, action] = Array.isArray(item) ? item : [];
    const level = typeof number === "number" ? LEVELS[number - 1] : undefined;
    if (typeof text !== "string" || level === undefined) return [];
    // The signature shows that this plugin wrote it.
    return [{ text, level, ...(action !== undefined && { action: action as MessageAction }) }];
  });
}
