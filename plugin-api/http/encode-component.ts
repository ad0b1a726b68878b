/** `encodeURIComponent` that also encodes `!'()*`, which it keeps, and lone surrogates, for which it throws. */
export const encodeComponent = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
