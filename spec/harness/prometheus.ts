import { spawn, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "./free-port.js";
import { until } from "./until.js";

/** A value of a query at one time, with the labels of its series. */
export interface PrometheusSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A real Prometheus, which collects metrics into a folder. */
export interface Prometheus {
  readonly origin: string;
  /** The values of an expression now. @throws Error with the message of Prometheus, such as one about its syntax */
  query(expression: string): Promise<readonly PrometheusSample[]>;
  stop(): void;
}

export const hasPrometheus = (): boolean => spawnSync("which", ["prometheus"]).status === 0;

/** @param configuration the text of `prometheus.yml` */
export async function startPrometheus(folder: string, configuration: string): Promise<Prometheus> {
  const file = join(folder, "prometheus.yml");
  await writeFile(file, configuration);
  const port = await freePort();
  const words = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, "prometheus")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn("prometheus", words, { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const origin = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(said.join(""));
    return fetch(`${origin}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    origin,
    query: (expression) => query(origin, expression),
    stop: () => void child.kill("SIGKILL"),
  };
}

interface Answer {
  readonly error?: string;
  readonly data?: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [time: number, value: string];
    }[];
  };
}

async function query(origin: string, expression: string): Promise<readonly PrometheusSample[]> {
  const reply = await fetch(`${origin}/api/v1/query?query=${encodeURIComponent(expression)}`);
  const { error, data } = (await reply.json()) as Answer;
  if (data === undefined) throw new Error(`${expression}: ${error}`);
  return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
}
