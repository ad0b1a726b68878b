import { message } from "../message.js";
import { UnreadableFile } from "./source.js";

/** In characters. */
const MAX_ELEMENT = 64 * 1024 * 1024;

const [QUOTE, BACKSLASH, COMMA, END_OF_LIST] = ['"', "\\", ",", "]"].map((one) => one.charCodeAt(0));
const OPENING = new Set(["{", "["].map((one) => one.charCodeAt(0)));
const CLOSING = new Set(["}", "]"].map((one) => one.charCodeAt(0)));

/**
 * Splits JSON that arrives in pieces into the elements of its list, or into the objects that follow each other (one on
 * each line, for example). Elements are texts, so that numbers stay exact.
 */
export class JsonElements {
  #text = "";
  /** The next character to look at. */
  #at = 0;
  /** Where the element begins; -1 between elements. */
  #start = -1;
  #depth = 0;
  #isInText = false;
  /** True for a list, false for objects that follow each other; null before the first character. */
  #isList: boolean | null = null;
  #isEnded = false;

  /** @returns the complete elements. @throws UnreadableFile */
  add(piece: string): readonly string[] {
    this.#text += piece;
    const found: string[] = [];
    for (; this.#at < this.#text.length; this.#at += 1) {
      const element = this.#step(this.#text.charCodeAt(this.#at));
      if (element !== null) found.push(element);
    }
    this.#forget();
    return found;
  }

  /** @returns the last element, if nothing ended it. @throws UnreadableFile if the text is incomplete */
  end(): readonly string[] {
    if (this.#isList === true && !this.#isEnded) throw new UnreadableFile(message("script.import.json_ends"));
    if (this.#start === -1) return [];
    if (this.#depth > 0 || this.#isInText) throw new UnreadableFile(message("script.import.json_ends"));
    return [this.#text.slice(this.#start)];
  }

  #step(code: number): string | null {
    if (this.#isInText) {
      if (code === BACKSLASH) this.#at += 1;
      else if (code === QUOTE) this.#isInText = false;
      return null;
    }
    if (code <= 32) return this.#isList === false && this.#depth === 0 ? this.#take() : null;
    if (this.#isList === null && this.#begin(code)) return null;
    if (this.#isEnded) throw new UnreadableFile(message("script.import.json_behind"));
    if (this.#depth === 0 && (code === COMMA || (this.#isList === true && code === END_OF_LIST))) {
      this.#isEnded = code !== COMMA;
      return this.#take();
    }
    if (this.#start === -1) this.#start = this.#at;
    if (code === QUOTE) this.#isInText = true;
    else if (OPENING.has(code)) this.#depth += 1;
    else if (CLOSING.has(code)) this.#depth -= 1;
    if (this.#depth < 0) throw new UnreadableFile(message("script.import.json_bracket"));
    return null;
  }

  /** @returns true for the bracket that begins a list */
  #begin(code: number): boolean {
    this.#isList = code === 91;
    return this.#isList;
  }

  #take(): string | null {
    if (this.#start === -1) return null;
    const element = this.#text.slice(this.#start, this.#at);
    this.#start = -1;
    return element;
  }

  /** Drops what was looked at. */
  #forget(): void {
    const kept = this.#start === -1 ? this.#at : this.#start;
    if (this.#text.length - kept > MAX_ELEMENT) throw new UnreadableFile(message("script.import.json_large"));
    this.#text = this.#text.slice(kept);
    this.#at -= kept;
    if (this.#start !== -1) this.#start = 0;
  }
}
