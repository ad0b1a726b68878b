/** What must be closed after the specs that use it. */
export interface Closable {
  close(): Promise<void>;
}

interface Lifetime {
  readonly thing: Closable;
  /** The test that created it; null if a `before` hook did, for the whole file. */
  readonly test: object | null;
  /** The file whose tests use it; unknown until its first test starts. */
  file: string | null;
}

let open: Lifetime[] = [];
let currentTest: object | null = null;

/**
 * Closes `thing` after the test that created it. If a `before` hook created it, it is closed when the first test of
 * another file starts, or the run ends.
 */
export function closeWhenDone(thing: Closable): void {
  open.push({ thing, test: currentTest, file: null });
}

async function closeThose(areDone: (lifetime: Lifetime) => boolean): Promise<void> {
  const done = open.filter(areDone);
  open = open.filter((lifetime) => !done.includes(lifetime));
  await Promise.all(done.map(({ thing }) => thing.close()));
}

// Other test runners do not have these functions. There, the caller closes what it creates.
if (typeof beforeEach === "function" && typeof before === "function" && typeof after === "function") {
  beforeEach(async function () {
    const file = this.currentTest?.file ?? "";
    currentTest = this.currentTest ?? null;
    for (const lifetime of open) lifetime.file ??= file;
    await closeThose((lifetime) => lifetime.file !== file);
  });
  afterEach(async () => {
    await closeThose(({ test }) => test !== null);
    currentTest = null;
  });
  after(() => closeThose(() => true));
}
