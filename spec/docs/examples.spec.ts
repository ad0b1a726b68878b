import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { workplace } from "../cli/command.js";
import { matchesJson, matchesText } from "./expectation.js";
import { fencesOf, type Fence } from "./markdown.js";
import { Reader } from "./reader.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const AT_ONCE = 3;

/** Blocks marked `no-run`, by page and first line, each with the reason. */
const notRun: Readonly<Record<string, string>> = {
  "README.md: npm ci && npm start   # builds a demonstration database once and serves it on http://127.0.0.1:8001":
    "installs and tests the package itself",
  'README.md: npm ci && npm run build && alias rowhouse="node $PWD/dist/cli/rowhouse.cjs"':
    "installs the package itself",
  "CONTRIBUTING.md: npm ci            # Node 20.19 or later": "installs and tests the package itself",
  "CONTRIBUTING.md: npm run build && npx mocha dist/spec/plugins/facets/facets.spec.js   # one file of specs":
    "runs the specs",
  "docs/porting-from-datasette.md: from datasette import hookimpl, Response": "is what is ported from",
  'docs/deployment.md: echo "ROWHOUSE_SECRET=$(openssl rand -hex 32)" > /etc/rowhouse.env && chmod 600 /etc/rowhouse.env':
    "needs root; deployment.spec.ts checks the unit",
  "docs/deployment.md: docker compose up --build": "needs Docker; deployment.spec.ts checks the files",
  "docs/deployment.md: rowhouse --ssl-keyfile data.key --ssl-certfile data.pem --port 443":
    "needs a certificate; the specs of the command line serve with one",
  "docs/how-to/back-up.md: rowhouse backup library.db /var/backups/library --every 1h --keep 24 --rate 50":
    "runs until a signal; the specs of the backup repeat one",
  "docs/how-to/health-checks.md: rowhouse library.db --setting drain_delay_ms 5000 --setting shutdown_grace_ms 20000":
    "is about the end of a server; the specs of the probes end one",
  "docs/how-to/make-slow-pages-fast.md: {": "needs a large table; the specs of the advice have one",
  'docs/how-to/languages.md: import { scriptTexts } from "rowhouse/browser";': "runs in a browser",
  "docs/how-to/metrics.md: rowhouse library.db --metrics-port 9464 --setting metrics_host 10.0.0.5":
    "needs this address; the specs of the metrics serve on a port of their own",
  "docs/how-to/publish.md: rowhouse package library.db -m metadata.yaml -t library": "needs Docker",
  "docs/how-to/publish.md: rowhouse publish cloudrun library.db -m metadata.yaml --service library":
    "needs an account at Google",
  "docs/how-to/publish.md: rowhouse publish heroku library.db -m metadata.yaml -n the-village-library":
    "needs an account at Heroku",
  "docs/performance.md: npm run bench workers": "takes minutes",
  'docs/performance.md: npm run bench -- peers --peer "mine|node server.js {file} --port 9000|http://127.0.0.1:9000/readings?limit=100"':
    "needs another server",
  "docs/performance.md: npm run bench start -- --beside ../other": "needs another checkout",
  "docs/performance.md: npm run bench              # everything, some minutes": "takes minutes",
  "docs/performance.md: npm run bench memory -- --requests 2000": "takes minutes",
  "docs/performance.md: MALLOC_ARENA_MAX=2 rowhouse data.db": "is about memory; the bench measures it",
  "docs/performance.md: npm run bench isolation -- --connections 8 --rounds 5 --warm 1500": "takes minutes",
  "docs/performance.md: strace -f -qq --seccomp-bpf -e trace=fsync,fdatasync -e inject=fsync,fdatasync:delay_exit=1000 -o /dev/null npm run bench writes":
    "takes minutes",
  "docs/plugins.md: mkdir surprise && cd surprise && npm init -y": "asks a registry",
  "docs/tutorial.md: npm ci && npm run build": "what the specs themselves have behind them",
};

interface Example {
  readonly page: string;
  readonly fence: Fence;
}

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "plugin-api/README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    // The examples of the hooks have a spec of their own.
    .filter((path) => path.endsWith(".md") && path !== "hooks.md")
    .map((path) => `docs/${path}`)
    .toSorted(),
];
// Blocks of plain text without a file's name are figures, and show no code.
const examples: readonly Example[] = pages.flatMap((page) =>
  fencesOf(readFileSync(join(ROOT, page), "utf8"))
    .filter(({ language, title }) => language !== "text" || title !== null)
    .map((fence) => ({ page, fence })),
);

/** What the compiler has to say about these files; empty when all is well. */
async function typeErrors(files: readonly string[]): Promise<string> {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const options =
    "--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module preserve --types".split(" ");
  const typeRoots = ["--typeRoots", join(ROOT, "node_modules/@types")];
  const words = [compiler, ...options, "node", ...typeRoots, ...files];
  return promisify(execFile)(process.execPath, words).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
}

const nameOf = ({ page, fence }: Example): string => `${page}: ${fence.text.split("\n")[0] ?? ""}`;

const ofPage = (page: string): readonly Example[] => examples.filter((example) => example.page === page);

describe("the examples of the documentation", function () {
  this.timeout(300_000);
  const script = readFileSync(join(ROOT, "docs/library.sql"), "utf8");
  const begun = new Map<string, Promise<void>>();
  // Where only some pages are tried, others may still be read: their folders are to be there until then.
  after(() => Promise.all(begun.values()));
  const readers = pages
    .filter((page) => ofPage(page).some(({ fence }) => !fence.skipped))
    .map((page) => {
      const place = workplace();
      return { page, place, reader: new Reader(place) };
    });
  const failures = new Map<Fence, unknown>();

  /** The page is read, and meanwhile those after it. */
  function read(index: number): Promise<void> {
    for (const one of readers.slice(index, index + AT_ONCE)) {
      if (!begun.has(one.page)) begun.set(one.page, readPage(one));
    }
    return begun.get(readers[index]?.page ?? "") ?? Promise.resolve();
  }

  async function readPage({ page, reader }: (typeof readers)[number]): Promise<void> {
    await reader.begin(script, ROOT);
    for (const { fence } of ofPage(page).filter((example) => !example.fence.skipped)) {
      await reader.follow(fence).catch((error: unknown) => failures.set(fence, error));
    }
    await reader.end();
  }

  for (const [index, { page }] of readers.entries()) {
    describe(`of ${page}`, () => {
      before(() => read(index));

      for (const { fence } of ofPage(page).filter((example) => !example.fence.skipped)) {
        it(`${page}:${fence.line} happens as it says`, () => {
          const failure = failures.get(fence);
          if (failure !== undefined) throw failure;
        });
      }
    });
  }

  // Suites come after the tests beside them; these two are to come last.
  describe("all together", () => {
    it("compile where they are TypeScript", async () => {
      for (const index of readers.keys()) await read(index);
      const files = readers.flatMap(({ page, place }) =>
        examples.flatMap((example) =>
          example.page === page && example.fence.title?.endsWith(".ts") === true
            ? [join(place.folder, example.fence.title)]
            : [],
        ),
      );

      expect(files).to.not.deep.equal([]);
      expect(await typeErrors(files)).to.equal("");
    });

    it("are all run, but for those with a reason", () => {
      const skipped = examples.filter(({ fence }) => fence.skipped).map(nameOf);

      expect(skipped.toSorted()).to.deep.equal(Object.keys(notRun).toSorted());
    });
  });
});

describe("comparing what happens with what is printed", () => {
  const same: [actual: string, printed: string][] = [
    ["a\nb\n", "a\nb"],
    ["a\nb\nc", "a\n...\nc"],
    ["took 12ms", "took ...ms"],
  ];
  for (const [actual, printed] of same) {
    it(`takes ${JSON.stringify(actual)} for ${JSON.stringify(printed)}`, () => {
      expect(matchesText(actual, printed)).to.equal(true);
    });
  }

  it("distinguishes different texts", () => {
    expect(matchesText("a\nb", "a\nc")).to.equal(false);
    expect(matchesText("a\nb", "a")).to.equal(false);
  });

  it("compares JSON member by member, but for what is left open", () => {
    expect(matchesJson({ a: 1, b: [1, 2] }, { a: 1, b: [1, "..."] })).to.equal(true);
    expect(matchesJson({ a: 1, b: 2 }, { a: 1, "...": "..." })).to.equal(true);
    expect(matchesJson({ a: 1, b: 2 }, { a: 1 })).to.equal(false);
    expect(matchesJson({ a: 1 }, { a: 2 })).to.equal(false);
    expect(matchesJson([1], [1, 2])).to.equal(false);
  });
});
