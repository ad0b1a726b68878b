import { isObject } from "../engine/values.js";
import { Html } from "../html/markup.js";

/** The value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;
/** No result. `void` allows functions without a return statement. */
export type NoOpinion = null | undefined | void;

/** What a hook function may return: a text for the log, and a check at run time. */
export interface Expected {
  /** Completes the sentence "it should be ...". */
  readonly what: string;
  is(answer: unknown): boolean;
  /** A sentence about a result that is not valid. */
  hint?(answer: unknown): string;
}

type Members = Readonly<Record<string, unknown>>;

const isFunction = (value: unknown): boolean => typeof value === "function";
const isText = (value: unknown): value is string => typeof value === "string";

const anObject = (what: string, fits: (members: Members) => boolean): Expected => ({
  what,
  is: (answer) => isObject(answer) && fits(answer),
});

/**
 * Expects any object.
 *
 * @example
 * objectOf("an actor").is({ id: "ann" }); // true
 */
export const objectOf = (what: string): Expected => anObject(what, () => true);

/**
 * Expects a function.
 *
 * @example
 * functionOf("middleware").is("text"); // false
 */
export const functionOf = (what: string): Expected => ({ what, is: isFunction });

/** Expects text or finished markup. */
export const textOrHtml: Expected = {
  what: "text, or markup that html`...` made",
  is: (answer) => isText(answer) || answer instanceof Html,
};

/**
 * Expects text, or an object in which `member` is text.
 *
 * @example
 * textOrObjectWith("url").is({ url: "/app.js" }); // true
 */
export const textOrObjectWith = (member: string): Expected => ({
  what: `text, or an object with the text ${member}`,
  is: (answer) => isText(answer) || (isObject(answer) && isText(answer[member])),
});

type MemberTypes = Readonly<Record<string, "string" | "function" | "boolean" | "object">>;

/**
 * Expects an object with members of these types. Members of `optional` may be missing.
 *
 * @example
 * const aRenderer = objectWith("a renderer", { extension: "string", render: "function" }, { canRender: "function" });
 * aRenderer.is({ extension: "txt" }); // false
 */
export const objectWith = (what: string, members: MemberTypes, optional: MemberTypes = {}): Expected =>
  anObject(
    what,
    (answer) =>
      Object.entries(members).every(([name, type]) => typeof answer[name] === type) &&
      Object.entries(optional).every(([name, type]) => ["undefined", type].includes(typeof answer[name])),
  );

/**
 * The same, naming the members that are missing: for objects with many.
 *
 * @example
 * validationError({}, completeObject("a box", { width: "string" }));
 * // "it answered an object with nothing in it; it should be a box. Missing or of another type: width"
 */
export const completeObject = (what: string, members: MemberTypes): Expected => ({
  ...objectWith(what, members),
  hint: (answer) => {
    const given = Object(answer) as Members;
    const missing = Object.keys(members).filter((name) => typeof given[name] !== members[name]);
    return `. Missing or of another type: ${missing.join(", ")}`;
  },
});

const LINKED = new Set(["http:", "https:", "mailto:"]);

/**
 * True for a URL that browsers follow as a link; false for `javascript:` and other schemes.
 *
 * @example
 * isAddress("/library/books"); // true
 */
export const isAddress = (href: unknown): boolean =>
  isText(href) && URL.canParse(href, "http://site/") && LINKED.has(new URL(href, "http://site/").protocol);

/** Expects a link or a button of a menu. */
export const menuItem: Expected = anObject(
  "{ href, label }, of this site or by http, https or mailto, or { type: 'button', label, attributes }",
  ({ href, label, type, attributes, attrs = {} }) =>
    isText(label) && (type === "button" ? isObject(attributes ?? attrs) : isAddress(href)),
);

/**
 * What is wrong with the result of a hook function, as text for the log; null for a valid result.
 *
 * @example
 * validationError(5, objectOf("an actor, an object")); // "it answered 5; it should be an actor, an object"
 */
export const validationError = (answer: unknown, expected: Expected): string | null =>
  expected.is(answer)
    ? null
    : `it answered ${shown(answer)}; it should be ${expected.what}${expected.hint?.(answer) ?? ""}`;

/**
 * The result of a function of a plugin that must not be asynchronous. A promise is dropped with its rejection, since an
 * unhandled one ends the process.
 *
 * @example
 * synchronous(5, "validate"); // 5
 * @throws TypeError for a promise
 */
export function synchronous<T>(result: T, what: string): T {
  if (!(result instanceof Promise)) return result;
  result.catch(() => undefined);
  throw new TypeError(`${what} returned a promise instead of its result`);
}

/** The log takes seconds to search a text of megabytes for secrets. */
const SHOWN_CHARACTERS = 200;

function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty text";
  const text = isObject(value)
    ? `an object with ${Object.keys(value).slice(0, SHOWN_CHARACTERS).join(", ") || "nothing in it"}`
    : String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
