import sqlite3 from "sqlite3";

/** A connection to a database file that does not use Rowhouse, with which specs create files and check them. */
export interface RawDatabase {
  /** Any number of statements. */
  run(script: string): Promise<void>;
  /** Rows of one statement, as objects. */
  all(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Opens a file, and creates it if it does not exist. */
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

/** Creates a database file by an SQL script. The file is not flushed to the disk, because specs do not need it to be. */
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
