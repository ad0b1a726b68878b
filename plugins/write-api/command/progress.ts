/** The output for progress. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const WIDTH = 30;
const REDRAW_INTERVAL_MS = 100;

/** A progress line that is redrawn in place; prints nothing if the output is not a terminal. */
export class Progress {
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly screen: Terminal,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param share from 0 to 1; null if the total is unknown */
  show(label: string, share: number | null, rows: number): void {
    if (this.screen.isTTY !== true || this.now() - this.#drawnMs < REDRAW_INTERVAL_MS) return;
    this.#drawnMs = this.now();
    const bar = share === null ? "" : ` ${barOf(share)} ${String(Math.floor(share * 100)).padStart(3)} %`;
    this.screen.write(`\r\u001b[K${label}${bar}  ${rows.toLocaleString("en")} rows`);
  }

  /** Clears the line. */
  clear(): void {
    if (this.screen.isTTY === true && this.#drawnMs > 0) this.screen.write("\r\u001b[K");
  }
}

function barOf(share: number): string {
  const full = Math.floor(Math.min(Math.max(share, 0), 1) * WIDTH);
  return `[${"#".repeat(full)}${".".repeat(WIDTH - full)}]`;
}
