import { expect } from "chai";
import { until } from "../harness/until.js";
import type { Workplace } from "./command.js";

const PLUGIN = `export default { name: "whoami", register_routes: () =>
  ({ name: "whoami", path: "/-/whoami", target: "instance", view: () => ({ status: 200, headers: {}, body: String(process.pid) }) }) };`;

/**
 * Starts two workers and stops one of them.
 *
 * @returns waits until it was replaced, half a minute later
 */
export async function stopOneWorker(place: Workplace): Promise<() => Promise<void>> {
  await place.database("hanging.db");
  place.write({ "hanging/whoami.mjs": PLUGIN });
  const words = ["hanging.db", "--plugins-dir", "hanging", "--no-config", "--workers", "2"];
  const server = await place.serve(words);
  const workers = new Set<number>();
  const ask = async (): Promise<number> => {
    const reply = await fetch(`${server.url}/-/whoami`, { headers: { connection: "close" } });
    return Number(await reply.text());
  };
  await until(async () => workers.add(await ask()).size === 2);
  const [hanging = 0, other] = workers;
  process.kill(hanging, "SIGSTOP");
  return async () => {
    await until(() => server.said().includes(`The worker ${hanging} hangs and is killed`));
    await until(async () => workers.add(await ask().catch(() => hanging)).size === 3);

    const answering = new Set<number>();
    await until(async () => answering.add(await ask()).size === 2);
    expect(answering).to.include(other).and.not.include(hanging);
    expect(server.said()).to.not.include(`The worker ${other}`);
  };
}
