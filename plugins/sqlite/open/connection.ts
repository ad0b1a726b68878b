import { LRUCache } from "lru-cache";
import { reportedCache } from "rowhouse/plugin-api/kernel";
import { compiledStatementBytes } from "../sql/statement-caches.js";
import type { BoundSql, DriverValue } from "../sql/statement.js";
import { extensionDanger, sqlite3, type Database, type Statement } from "./driver.js";
import { withLimits, type Limits } from "./time-limit.js";

/** A row of the driver, in which equal column names overwrite each other and large integers are rounded. */
export type DriverRow = Readonly<Record<string, DriverValue>>;

/** The result of a statement without rows. */
export interface RunResult {
  readonly changes: number;
  readonly lastID: number;
}

/** SQL with the values of its parameters. Without values they are NULL. */
type RunnableSql = Pick<BoundSql, "sql"> & Partial<BoundSql>;

const NO_VALUES: readonly DriverValue[] = [];

export type OpenMode = "read-only" | "read-write" | "create";

const FLAGS: Readonly<Record<OpenMode, number>> = {
  "read-only": sqlite3.OPEN_READONLY,
  "read-write": sqlite3.OPEN_READWRITE,
  create: sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE,
};

// Per connection. A page runs the same statements for each request.
const PREPARED_STATEMENTS = 100;
const MAX_CACHED_CHARACTERS = 100_000;
/** The cache key of long statements. It is no SQL. */
const LONG = "\0";
/** As measured: `select *` of ten columns takes 6 kB, and the statement of a page, with 3,300 characters, 42 kB. */
const compiledBytes = (sql: string): number => sql.length * 12 + 5_000;

/**
 * One connection of the driver, with promises. Its user runs one statement at a time.
 *
 * No operation leaves a statement active. An active statement makes SQLite refuse the next commit, and keeps the
 * file locked after it.
 */
export class Connection {
  readonly #prepared = reportedCache(
    "sql-compiled",
    new LRUCache<string, Statement>({
      max: PREPARED_STATEMENTS,
      maxSize: Math.max(compiledBytes(LONG), compiledStatementBytes()),
      sizeCalculation: (_statement, sql) => compiledBytes(sql),
      dispose: (statement) => statement.finalize(),
    }),
  );
  #maxLengthBytes = 0;

  private constructor(private readonly handle: Database) {}

  /** @param uri a file name in SQLite's URI form */
  static open(uri: string, mode: OpenMode): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const handle = new sqlite3.Database(uri, FLAGS[mode] | sqlite3.OPEN_URI, (error) => {
        if (error !== null) reject(error);
        else resolve(new Connection(handle));
      });
    });
  }

  /** All rows of a statement. Errors are those of the driver. */
  all<Row extends object = DriverRow>(
    { sql, values = NO_VALUES }: RunnableSql,
    limits: Limits = {},
  ): Promise<readonly Row[]> {
    return this.#within(limits, sql, (statement, done) => statement.all<Row>(values, done));
  }

  /**
   * Only for a statement that returns no rows: the driver takes a single step, and a first row would leave the
   * statement active, with its changes not counted yet.
   */
  run({ sql, values = NO_VALUES }: RunnableSql, limits: Limits = {}): Promise<RunResult> {
    return this.#within(limits, sql, (statement, done) =>
      statement.run(values, function (error) {
        done(error, { changes: this.changes, lastID: this.lastID });
      }),
    );
  }

  /** Rows one by one, each read when the iterator requests it. Leaving the loop ends the read. */
  async *step<Row extends object>(bound: BoundSql, limits: Limits): AsyncGenerator<Row> {
    const statement = await this.#bounded(limits, () => this.#prepare(bound.sql));
    try {
      // Values only with the first step: to bind values restarts the statement.
      let row = await this.#get<Row>(statement, bound.values, limits);
      while (row !== undefined) {
        yield row;
        row = await this.#get<Row>(statement, [], limits);
      }
    } finally {
      await finalized(statement);
    }
  }

  #get<Row>(statement: Statement, values: readonly DriverValue[], limits: Limits): Promise<Row | undefined> {
    return this.#bounded(limits, () => promised<Row | undefined>((done) => statement.get<Row>(values, done)));
  }

  /** Runs several statements without results. */
  exec(sql: string): Promise<void> {
    return promised<void>((done) => this.handle.exec(sql, (error) => done(error, undefined)));
  }

  /**
   * Like `all`, without caching the prepared statement. EXPLAIN needs this: it remains active until it is reset, and
   * SQLite clears an interrupt only if no statement is active.
   */
  once<Row extends object = DriverRow>(
    { sql, values = NO_VALUES }: RunnableSql,
    limits: Limits = {},
  ): Promise<readonly Row[]> {
    return this.#bounded(limits, async () => {
      const statement = await this.#prepare(sql);
      try {
        return await promised<readonly Row[]>((done) => statement.all<Row>(values, done));
      } finally {
        await finalized(statement);
      }
    });
  }

  /** Compiles a statement without running it. */
  async check(sql: string, limits: Limits = {}): Promise<void> {
    const statement = await this.#bounded(limits, () => this.#prepare(sql));
    statement.finalize();
  }

  /** @throws Error if the extension cannot be loaded */
  async loadExtension(path: string): Promise<void> {
    const danger = extensionDanger(path);
    if (danger !== null) throw new Error(danger);
    return promised<void>((done) => this.handle.loadExtension(path, (error) => done(error, undefined)));
  }

  /** Copies the main database to a file. */
  copyTo(path: string, run: BackupSteps = inOneStep): Promise<void> {
    return this.#backUp((handle, done) => handle.backup(path, done), run);
  }

  /** Replaces the main database by that of a file. Its changes are one transaction. */
  replaceBy(path: string, run: BackupSteps = inOneStep): Promise<void> {
    return this.#backUp((handle, done) => handle.backup(path, "main", "main", false, done), run);
  }

  async #backUp(
    begin: (handle: WithBackup, done: (error: Error | null) => void) => Backup,
    run: BackupSteps,
  ): Promise<void> {
    const backup = await promised<Backup>((done) => {
      const made = begin(this.handle as Database & WithBackup, (error) => done(error, made));
    });
    try {
      await run({
        step: (pages) => promised<void>((done) => backup.step(pages, (error) => done(error, undefined))),
        state: () => ({ remaining: backup.remaining, isComplete: backup.completed }),
      });
    } finally {
      await promised<void>((done) => backup.finish((error) => done(error, undefined)));
    }
  }

  limit(name: keyof typeof LIMITS, value: number): void {
    this.handle.configure("limit", LIMITS[name], value);
  }

  /** Sets the longest text, blob or row of this connection. */
  limitLength(bytes: number): void {
    if (this.#maxLengthBytes === bytes) return;
    this.#maxLengthBytes = bytes;
    this.limit("length", bytes);
  }

  busyTimeout(milliseconds: number): void {
    this.handle.configure("busyTimeout", milliseconds);
  }

  /** Finalizes the prepared statements, which refer to the schema of the file. */
  dropPreparedStatements(): void {
    this.#prepared.clear();
  }

  close(): Promise<void> {
    this.dropPreparedStatements();
    return promised<void>((done) => this.handle.close((error) => done(error, undefined)));
  }

  #within<Result>(
    limits: Limits,
    sql: string,
    operation: (statement: Statement, done: Done<Result>) => void,
  ): Promise<Result> {
    const run = (statement: Statement): Promise<Result> =>
      promised<Result>((done) =>
        operation(statement, (error, result) => {
          if (error === null || error === undefined) done(null, result);
          // SQLite leaves a statement that hit SQLITE_BUSY open until it is reset.
          else statement.reset(() => done(error, result));
        }),
      );
    return this.#bounded(limits, () => {
      const cached = this.#prepared.get(sql);
      return cached === undefined ? this.#prepareAndCache(sql).then(run) : run(cached);
    });
  }

  async #prepareAndCache(sql: string): Promise<Statement> {
    const statement = await this.#prepare(sql);
    // Long statements share one cache entry: each is finalized when the next one replaces it. The cache would not take
    // one that is larger than itself, nor finalize it, and then the connection could not be closed.
    const isLong = sql.length > MAX_CACHED_CHARACTERS || compiledBytes(sql) > this.#prepared.maxSize;
    this.#prepared.set(isLong ? LONG : sql, statement);
    return statement;
  }

  #prepare(sql: string): Promise<Statement> {
    return promised<Statement>((done) => {
      const statement = this.handle.prepare(sql, (error: Error | null) => done(error, statement));
    });
  }

  #bounded<T>(limits: Limits, operation: () => Promise<T>): Promise<T> {
    return withLimits(() => this.handle.interrupt(), limits, operation);
  }
}

/** A running copy. A step that finds a lock copies nothing and is not complete. */
export interface BackupRun {
  step(pages: number): Promise<void>;
  state(): { readonly remaining: number; readonly isComplete: boolean };
}

/** Runs the steps of a copy. */
export type BackupSteps = (backup: BackupRun) => Promise<void>;

export const ALL_PAGES = -1;

const inOneStep: BackupSteps = (backup) => backup.step(ALL_PAGES);

/** Methods that the types of the driver lack. */
interface WithBackup {
  backup(path: string, done: (error: Error | null) => void): Backup;
  backup(
    path: string,
    destination: string,
    source: string,
    pathIsDestination: boolean,
    done: (error: Error | null) => void,
  ): Backup;
}

interface Backup {
  readonly remaining: number;
  readonly completed: boolean;
  step(pages: number, done: (error: Error | null) => void): void;
  finish(done: (error: Error | null) => void): void;
}

const LIMITS = {
  length: sqlite3.LIMIT_LENGTH,
  sqlLength: sqlite3.LIMIT_SQL_LENGTH,
  attached: sqlite3.LIMIT_ATTACHED,
  likePatternLength: sqlite3.LIMIT_LIKE_PATTERN_LENGTH,
} as const;

type Done<Result> = (error: Error | null, result: Result) => void;

const promised = <Result>(start: (done: Done<Result>) => void): Promise<Result> =>
  new Promise((resolve, reject) => {
    start((error, result) => (error === null || error === undefined ? resolve(result) : reject(error)));
  });

const finalized = (statement: Statement): Promise<void> =>
  new Promise((resolve) => statement.finalize(() => resolve()));
