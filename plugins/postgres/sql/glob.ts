/** A pattern of GLOB as a regular expression that matches what SQLite matches: `a*[^b]?`. */
export function globAsRegex(glob: string): string {
  const characters = [...glob];
  let regex = "";
  for (let place = 0; place < characters.length; place += 1) {
    const character = characters[place] ?? "";
    if (character === "*") regex += ".*";
    else if (character === "?") regex += ".";
    else if (character === "[") {
      const end = endOfSet(characters, place);
      // A set without an end matches nothing.
      if (end === -1) return MATCHES_NOTHING;
      regex += setAsRegex(characters.slice(place + 1, end));
      place = end;
    } else regex += escaped(character);
  }
  return `^(?:${regex})$`;
}

const MATCHES_NOTHING = "$.";

/** The place of the bracket that ends a set. The first member may be a bracket. */
function endOfSet(characters: readonly string[], begin: number): number {
  const first = characters[begin + 1] === "^" ? begin + 2 : begin + 1;
  return characters.indexOf("]", characters[first] === "]" ? first + 1 : first);
}

function setAsRegex(members: readonly string[]): string {
  const isNegated = members[0] === "^";
  let set = "";
  for (let place = isNegated ? 1 : 0; place < members.length; place += 1) {
    const from = members[place] ?? "";
    const to = members[place + 2];
    set += escaped(from);
    // The closing bracket as first member begins no range.
    if (members[place + 1] !== "-" || to === undefined || from === "]") continue;
    // In SQLite, a range in the wrong order has its first character only.
    if (codePointOf(from) <= codePointOf(to)) set += `-${escaped(to)}`;
    place += 2;
  }
  return `[${isNegated ? "^" : ""}${set}]`;
}

/** A character without special meaning, also in brackets. */
const escaped = (character: string): string =>
  /[!-/:-@[-^`{-~]/.test(character) ? `\\${character}` : character;

const codePointOf = (character: string): number => character.codePointAt(0) ?? 0;
