/** The columns with the coordinates of a row. */
export interface Coordinates {
  readonly latitude: string;
  readonly longitude: string;
}

const PAIRS: readonly (readonly [RegExp, RegExp])[] = [
  [/^latitude$/i, /^longitude$/i],
  [/^lat$/i, /^(?:lon|lng|long)$/i],
  [/(?:^|_)latitude$/i, /(?:^|_)longitude$/i],
  [/(?:^|_)lat$/i, /(?:^|_)(?:lon|lng|long)$/i],
];

/** The columns whose names mean coordinates; null without such a pair. */
export function coordinateColumns(names: readonly string[]): Coordinates | null {
  for (const [north, east] of PAIRS) {
    const latitude = names.find((name) => north.test(name));
    const longitude = names.find((name) => east.test(name));
    if (latitude !== undefined && longitude !== undefined) return { latitude, longitude };
  }
  return null;
}
