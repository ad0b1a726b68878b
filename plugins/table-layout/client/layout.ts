export const DENSITIES = ["compact", "normal", "roomy"] as const;
export type Density = (typeof DENSITIES)[number];

/** The layout of the table at an address. */
export interface Layout {
  /** Widths in pixels by column. */
  readonly widths: Readonly<Record<string, number>>;
  /** The number of columns that stay in sight, from the first. */
  readonly frozen: number;
}

const DENSITY_KEY = "rowhouse:density";
const layoutKey = (): string => `rowhouse:layout:${location.pathname}`;

/** The density of all tables. */
export function storedDensity(): Density {
  const stored = read(DENSITY_KEY);
  return DENSITIES.find((one) => one === stored) ?? "normal";
}

export const storeDensity = (density: Density): void => write(DENSITY_KEY, density);

/** The stored layout of this table; an empty one for values of no sense. */
export function storedLayout(): Layout {
  const { widths, frozen } = (read(layoutKey()) ?? {}) as Partial<Layout>;
  const given = Object.entries(widths ?? {}).filter(([, width]) => typeof width === "number" && width > 0);
  return {
    widths: Object.fromEntries(given),
    frozen: typeof frozen === "number" && frozen >= 0 ? frozen : 1,
  };
}

export const storeLayout = (layout: Layout): void => write(layoutKey(), layout);

// A browser may forbid storage. The layout then lasts as long as the page.
function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    return;
  }
}
