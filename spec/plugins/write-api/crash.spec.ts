import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { emptyCensus, liveAndDie } from "./crash/lives.js";
import { quickCommand } from "./crash/quick-command.js";
import { servedFile } from "./crash/served-file.js";

/** The build service runs 200. */
const CRASHES = Number(process.env["ROWHOUSE_CRASHES"] ?? 20);
const SEED = Number(process.env["ROWHOUSE_SEED"] ?? Date.now() % 1_000_000);
/** What must have been acknowledged: otherwise there was nothing to be lost. */
const KINDS = ["insert", "upsert", "refused"] as const;
const JOURNALS = ["wal", "delete", "wal", "delete"] as const;

describe("writing until the server is killed", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-crashes-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it(`${CRASHES} times leaves a sound file, all that was acknowledged and no half of anything (ROWHOUSE_SEED=${SEED})`, async function () {
    this.timeout(300_000 + CRASHES * 10_000);
    const command = await quickCommand(folder);
    const census = emptyCensus();
    let crashes = 0;
    // Chance decides what is acknowledged before a kill: the server is killed more often if a kind has not come up.
    const isShort = (): boolean => KINDS.some((kind) => !census.acknowledged.has(kind));
    const another = (): boolean => (crashes += 1) <= (isShort() ? 4 * CRASHES : CRASHES);

    await Promise.all(
      JOURNALS.map(async (journal, lane) => {
        const place = join(folder, String(lane));
        await mkdir(place);
        const file = await servedFile(place, journal, command);
        await liveAndDie({ file, seed: SEED + lane * 1_000, another, census });
      }),
    );

    expect(census.acknowledged).to.include.keys(...KINDS);
    expect(census.undone).not.to.be.empty;
  });
});
