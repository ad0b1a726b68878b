import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;

const isFolderOrDeclaration = (source: string): boolean => /\.d\.ts$|\/[^/.]+$/.test(source);

describe("the declaration files of the package", () => {
  const folder = mkdtempSync(join(tmpdir(), "rowhouse-declarations-"));

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The package as npm installs it for an author: only its declarations and its dependencies. */
  const install = (): void => {
    const target = join(folder, "node_modules/rowhouse");
    cpSync(join(ROOT, "dist"), join(target, "dist"), { recursive: true, filter: isFolderOrDeclaration });
    cpSync(join(ROOT, "package.json"), join(target, "package.json"));
    for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
      const link = join(folder, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), link);
    }
  };

  it("compile for authors without skipLibCheck", async function () {
    this.timeout(300_000);
    install();
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== "./package.json");
    const imports = entries.map((entry, index) => `import * as e${index} from "rowhouse${entry.slice(1)}";`);
    const uses = entries.map((_entry, index) => `void e${index};`);
    writeFileSync(join(folder, "use.ts"), [...imports, ...uses].join("\n"));

    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const options = "--ignoreConfig --noEmit --strict --target es2023 --module nodenext --types node".split(
      " ",
    );
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, ...options, "use.ts"], {
      cwd: folder,
    }).catch((error: { readonly stdout: string }) => error);

    expect(stdout).to.equal("");
  });
});
