import type { Visit } from "rowhouse/plugin-api";

const DEFAULT_POOL_SIZE = 4;

interface Thread {
  readonly name: string;
  readonly ident: number;
  readonly daemon: boolean;
}

/** The threads of this process and what it waits for: counts and kinds, no paths and no arguments. */
export function threadsDocument({ rowhouse }: Visit<"instance">): object {
  if (rowhouse.settings.get("num_sql_threads")?.value === 0) return { num_threads: 0, threads: [] };
  const poolSize = Number(process.env["UV_THREADPOOL_SIZE"] ?? DEFAULT_POOL_SIZE);
  const threads: Thread[] = [
    { name: "main", ident: 0, daemon: false },
    ...Array.from({ length: poolSize }, (_item, index) => ({
      name: `worker-${index + 1}`,
      ident: index + 1,
      daemon: true,
    })),
  ];
  const tasks = process.getActiveResourcesInfo();
  return { num_threads: threads.length, threads, num_tasks: tasks.length, tasks };
}
