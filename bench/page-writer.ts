import { openRaw } from "../spec/harness/raw-sqlite.js";

/** Changes a row of the table `few` again and again, as another program would. */
export function startWriter(file: string, everyMs: number): { stop(): Promise<void> } {
  let isStopped = false;
  const write = async (): Promise<void> => {
    const database = await openRaw(file);
    try {
      await database.run("pragma synchronous = off");
      while (!isStopped) {
        await database.run("update few set score = score + 1 where id = 1");
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    } finally {
      await database.close();
    }
  };
  const written = write();
  return {
    stop: () => {
      isStopped = true;
      return written;
    },
  };
}
