import sqlite3 from "sqlite3";

/** A database file seen without Rowhouse: specs use it to make files and to look into them from outside. */
export interface RawDatabase {
  /** Any number of statements. */
  run(script: string): Promise<void>;
  /** Rows of one statement, as objects. */
  all(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Opens `file`, making it when it is missing. */
export async function openRaw(file: string): Promise<RawDatabase> {
  const database = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened: sqlite3.Database = new sqlite3.Database(file, (error) =>
      error === null ? resolve(opened) : reject(error),
    );
  });
  return {
    run: (script) => settled((done) => database.exec(script, done)),
    all: (sql) =>
      new Promise((resolve, reject) => {
        database.all<Record<string, unknown>>(sql, (error, rows) =>
          error === null ? resolve(rows) : reject(error),
        );
      }),
    close: () => settled((done) => database.close(done)),
  };
}

/** Makes a database file by running a script of any number of statements. It need not outlast a failure of the machine. */
export async function buildDatabase(file: string, script: string): Promise<void> {
  const database = await openRaw(file);
  try {
    await database.run(`pragma synchronous=off;\n${script}`);
  } finally {
    await database.close();
  }
}

const settled = (start: (done: (error: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start((error) => (error === null ? resolve() : reject(error))));
