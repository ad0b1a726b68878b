const REDACTED = "[redacted]";

/** Shorter values, such as a password of `1`, would be replaced inside of unrelated words. */
const MIN_SECRET_CHARACTERS = 6;

/**
 * Text in which a secret can be, each with its replacement. Each needs linear time: a client chooses the path that is
 * logged. So none begins inside of a word that it has tried already.
 */
const FORMS: readonly (readonly [form: RegExp, replacement: string])[] = [
  // API tokens.
  [/rhtok_[\w.-]+/g, REDACTED],
  // Cookies and other signed values: a payload and 32 bytes of signature in base64url.
  [/(?<![\w-])[\w-]{4,}\.[\w-]{43}(?![\w-])/g, REDACTED],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/(token|secret|password|passwd|api_?key)(=|%3D|"?: ?")([^&\s"';]+)/gi, `$1$2${REDACTED}`],
];
/** One of these is in every text that a form matches. To search for them is faster than to try each form. */
const SIGNS = /rhtok_|[\w-]\.[\w-]{43}|Bearer|Basic|token|secret|passw|key/i;

/** To search longer texts, such as an error with a whole document in it, blocks the event loop. */
const MAX_CHARACTERS = 100_000;
/** The end of a text that was cut can be the beginning of a secret. Secrets are shorter than this. */
const MAX_SECRET_CHARACTERS = 8_192;

/** Removes secrets from text. */
export interface Redactor {
  /** Also removes this value from now on. */
  conceal(secret: string): void;
  /** The text without secrets. Texts of more than 100,000 characters are cut. */
  redact(text: string): string;
}

/**
 * A redactor for the log: it removes tokens, signed values, passwords in addresses, and all values that were concealed.
 *
 * @example
 * createRedactor(["a long secret"]).redact("a long secret, token=5"); // "[redacted], token=[redacted]"
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const concealed = new Set<string>();
  const conceal = (secret: string): void => {
    if (secret.length >= MIN_SECRET_CHARACTERS) concealed.add(secret);
  };
  secrets.forEach(conceal);
  const redact = (text: string): string => {
    let result = text;
    for (const secret of concealed) if (result.includes(secret)) result = result.replaceAll(secret, REDACTED);
    if (!SIGNS.test(result)) return result;
    for (const [form, replacement] of FORMS) result = result.replace(form, replacement);
    return result;
  };
  return {
    conceal,
    redact: (text) =>
      text.length <= MAX_CHARACTERS
        ? redact(text)
        : `${redact(text.slice(0, MAX_CHARACTERS)).slice(0, -MAX_SECRET_CHARACTERS)}…`,
  };
}
