import { closeWhenDone } from "../lifetimes.js";
import { describeAnalysis } from "./analysis.js";
import { describeClosing } from "./closing.js";
import { describeColumns } from "./columns.js";
import { describeLimits } from "./limits.js";
import { describeWritesMadeForASchema } from "./made-for-a-schema.js";
import { describeSchema } from "./schema.js";
import { describeStatements } from "./statements.js";
import { describeStreams } from "./streams.js";
import { describeValues } from "./values.js";
import { describeVersion } from "./version.js";
import { describeWrites } from "./writes.js";
import { describeWritesTogether } from "./writes-together.js";
import type { OpenEngine } from "./open-engine.js";
import { traitsOf, type EngineTraits } from "./traits.js";

export type { OpenEngine } from "./open-engine.js";
export { traitsOf, type EngineTraits } from "./traits.js";

/**
 * Specs of the guarantees of `Database`, for databases that `open` creates. They need mocha and chai, which the
 * project of the engine installs. Engines may differ only in their `traits`.
 */
export function describeEngine(name: string, open: OpenEngine, traits: EngineTraits = traitsOf.sqlite): void {
  describe(`${name} as an engine`, () => {
    const opened = closing(open);
    describeValues(opened, traits);
    describeColumns(opened, traits);
    describeStatements(opened, traits);
    describeLimits(opened);
    describeStreams(opened);
    describeWrites(opened, traits);
    describeWritesTogether(opened);
    describeWritesMadeForASchema(opened);
    describeSchema(opened);
    describeVersion(opened);
    describeAnalysis(opened, traits);
    describeClosing(opened);
  });
}

const closing =
  (open: OpenEngine): OpenEngine =>
  async () => {
    const database = await open();
    closeWhenDone(database);
    return database;
  };
