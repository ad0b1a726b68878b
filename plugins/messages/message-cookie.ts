import { BadSignature } from "rowhouse/plugin-api/errors";
import type { Request, Rowhouse } from "rowhouse/plugin-api";
import type { Message, MessageLevel } from "rowhouse/plugin-api/contracts";

export const MESSAGES_COOKIE = "rowhouse_messages";
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
  const { messages } = waiting(rowhouse, request);
  waitingFor.set(request, { messages: [...messages, message], isChanged: true });
}

/** Returns all messages and removes them. */
export function takeMessages(rowhouse: Rowhouse, request: Request): readonly Message[] {
  const { messages, isChanged } = waiting(rowhouse, request);
  const isKnownToBrowser = request.cookies.has(MESSAGES_COOKIE);
  waitingFor.set(request, { messages: [], isChanged: isChanged || isKnownToBrowser });
  return messages;
}

/** The new value of the cookie: empty to delete it, null to keep it. */
export function cookieValue(rowhouse: Rowhouse, request: Request): string | null {
  const known = waitingFor.get(request);
  if (known?.isChanged !== true) return null;
  if (known.messages.length === 0) return request.cookies.has(MESSAGES_COOKIE) ? "" : null;
  const value = known.messages.map(({ text, level }) => [text, LEVELS.indexOf(level) + 1]);
  return rowhouse.sign(value, NAMESPACE);
}

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
    const [text, number] = Array.isArray(item) ? item : [];
    const level = typeof number === "number" ? LEVELS[number - 1] : undefined;
    return typeof text === "string" && level !== undefined ? [{ text, level }] : [];
  });
}
