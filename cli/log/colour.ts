import { styleText } from "node:util";

/** A word for standard error, in colour if it is a terminal and neither NO_COLOR nor `TERM=dumb` is set. */
export function coloured(colour: "red" | "yellow", word: string): string {
  return process.stderr.isTTY && process.stderr.hasColors() && !process.env["NO_COLOR"]
    ? styleText(colour, word)
    : word;
}
