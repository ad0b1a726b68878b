import { expect } from "chai";
import { workplace } from "./command.js";
import { startProcess } from "./shared-process.js";

/** The error of a promise as text; empty without one. */
const errorOf = (promise: Promise<unknown>): Promise<string> => promise.then(() => "", String);

const command = (name: string, code: string): string =>
  `{ command: "${name}", describe: "", handler() { console.log("done"); ${code} } }`;

describe("a process that command lines share fails", () => {
  const place = workplace();
  const line = (words: readonly string[]) => ({ folder: place.folder, words, environment: {}, input: "" });

  before(() => {
    place.write({
      "odd.mjs": `export default { register_commands: () => [
        ${command("keep-open", "setInterval(() => {}, 1000);")},
        ${command("print-late", "setTimeout(() => console.error('late'), 10);")},
        ${command("end-process", "process.exit(0);")},
      ] };`,
      ".rowhouserc.json": { plugins: ["./odd.mjs"] },
    });
  });

  const done = { code: 0, stdout: "done\n", stderr: "" };

  it("if a command leaves something open", async () => {
    const shared = startProcess(1000);

    expect(await shared.run(line(["keep-open"]))).to.deep.equal(done);
    expect(await errorOf(shared.end())).to.include("A command left something open");
  });

  it("if a command prints something after its end", async () => {
    const shared = startProcess();

    expect(await shared.run(line(["print-late"]))).to.deep.equal(done);
    expect(await errorOf(shared.end())).to.include("printed something after it had ended");
  });

  it("if a command ends the process", async () => {
    const shared = startProcess();

    expect(await errorOf(shared.run(line(["end-process"])))).to.include(
      "The process ended during rowhouse end-process",
    );
    expect(await errorOf(shared.end())).to.include("A command ended its process");
  });
});
