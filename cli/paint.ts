import { styleText } from "node:util";

/** A word for standard error, in colour where a terminal shows it and neither NO_COLOR nor a dumb terminal forbids it. */
export function paint(colour: "red" | "yellow", word: string): string {
  return process.stderr.isTTY && process.stderr.hasColors() && !process.env["NO_COLOR"]
    ? styleText(colour, word)
    : word;
}
