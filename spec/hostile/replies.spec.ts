import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";
import { ask, askOften, canCountOpenFiles, openFiles, settledOpenFiles, type Sending } from "./open-files.js";

/** Routes whose bodies are opened before the kernel sees them, as a plugin may do. */
const BODIES = `
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";

const FILE = new URL("../public/large.txt", import.meta.url);
const route = (name, body) => ({
  name,
  path: new RegExp("^/-/" + name + "$"),
  target: "instance",
  view: async () => ({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: await body() }),
});

async function* fromHandle() {
  const file = await open(FILE);
  try {
    for (;;) yield (await file.read(Buffer.alloc(65536), 0, 65536, 0)).buffer;
  } finally {
    await file.close();
  }
}

export default {
  register_routes: () => [
    route("opened", () => createReadStream(FILE)),
    route("endless", () => fromHandle()),
    route("begun", async () => {
      const pieces = fromHandle();
      await pieces.next();
      return pieces;
    }),
    route("missing", () => createReadStream(new URL("nothing", FILE))),
    route("breaking", () => {
      let count = 0;
      return new Readable({
        read() {
          if (count++ < 3) this.push("x".repeat(70000));
          else this.destroy(new Error("it broke midway"));
        },
      });
    }),
    route("late-break", () => {
      const body = new Readable({ read() {} });
      setTimeout(() => body.destroy(new Error("it broke before it began")), 5);
      return body;
    }),
  ],
  finish_reply: {
    order: "late",
    run: async (rowhouse, { value, request }) => {
      if (request.query.has("_slow")) await new Promise((done) => setTimeout(done, 30));
      if (request.query.has("_refuse")) throw new Error("refused on the way out");
      if (request.query.has("_swap")) return { ...value, body: "another body" };
      return value;
    },
  },
  http_wrapper: () => (request, response, next) => {
    if (request.url.includes("_early")) {
      response.end("answered early");
      return next();
    }
    if (request.url.includes("_timeout")) setTimeout(() => response.end("enough"), 15);
    if (request.url.includes("_pipe=missing")) return createReadStream(new URL("nothing", FILE)).pipe(response);
    if (request.url.includes("_pipe=large")) return createReadStream(FILE).pipe(response);
    next();
  },
};
`;

const GZIP = { headers: { "accept-encoding": "gzip" } } as const;
const TIMES = 40;
/** Descriptors that come and go by themselves: connections that are being closed, pipes of processes for SQL. */
const MARGIN = 20;

(canCountOpenFiles ? describe : describe.skip)("A reply that is not sent is closed", () => {
  const place = workplace();
  let server: Serving | undefined;

  before(async () => {
    const rows = "with n(i) as (select 1 union all select i + 1 from n where i < 20000)";
    const script = `create table t (id integer primary key, text text, bytes blob);
      insert into t ${rows} select i, hex(randomblob(100)), randomblob(50) from n;`;
    await place.database("a.db", script);
    await place.database("frozen.db", script);
    place.write({ "plugins/bodies.mjs": BODIES, "public/large.txt": "y".repeat(3_000_000) });
  });

  /** One that is alive, warm and with as many open files as it needs. */
  async function served(): Promise<Serving> {
    if (server?.process.exitCode === null) return server;
    server = await place.serve([
      "a.db",
      "-i",
      "frozen.db",
      "--plugins-dir",
      "plugins",
      "--static",
      "files:public",
      "--static",
      "vm:/proc/sys/vm",
    ]);
    // The processes for SQL are started by the first statements that come together.
    for (const path of ["/", "/a/t.csv?_stream=1", "/a.csv?sql=select+1&_stream=1", "/-/opened"])
      await askOften(10, server.url + path);
    return server;
  }

  const holds = (title: string, path: string, sending: Sending, times = TIMES): void => {
    it(title, async () => {
      const { url, process: child, said } = await served();
      const pid = Number(child.pid);
      const limit = openFiles(pid) + MARGIN;

      await askOften(times, url + path, sending);

      expect(child.exitCode, said()).to.equal(null);
      expect(await settledOpenFiles(pid, limit)).to.be.at.most(limit);
      // A stream that is left open keeps one of a few connections for streams.
      for (const alive of ["/a/t/1.json", "/a/t.csv?_stream=1&id=1", "/a.csv?sql=select+1&_stream=1"]) {
        expect((await ask(url + alive, { timeoutMs: 60_000 }))?.status, alive).to.equal(200);
      }
    });
  };

  holds("to 1,000 HEADs on a static file", "/files/large.txt", { method: "HEAD" }, 1000);
  holds("to 1,000 HEADs on a static file, compressed", "/files/large.txt", { method: "HEAD", ...GZIP }, 1000);
  holds("to HEAD on a static file that can't be opened", "/vm/compact_memory", { method: "HEAD" });
  holds("to GET on a static file that can't be opened", "/vm/compact_memory", {});

  for (const [what, path] of [
    ["a static file", "/files/large.txt"],
    ["a download", "/frozen.db"],
    ["a CSV stream", "/a/t.csv?_stream=1"],
    ["a CSV stream of SQL", "/a.csv?sql=select+*+from+t&_stream=1"],
    ["a stream of JSON lines", "/a/t.json?_shape=array&_nl=on&_stream=1"],
    ["a BLOB", "/a/t/1.blob?_blob_column=bytes"],
    ["a file that a plugin opened", "/-/opened"],
    ["a stream that a plugin began", "/-/begun"],
    ["a stream without an end", "/-/endless"],
  ] as const) {
    const and = path.includes("?") ? "&" : "?";
    if (!path.includes("endless") && !path.includes("begun")) {
      holds(`to HEAD: ${what}`, path, { method: "HEAD" });
      holds(`to HEAD, compressed: ${what}`, path, { method: "HEAD", ...GZIP });
    }
    holds(`when a later step fails: ${what}`, `${path}${and}_refuse`, GZIP);
    holds(`when a later step puts another body in its place: ${what}`, `${path}${and}_swap`, {});
    holds(`when the client left while it was made: ${what}`, `${path}${and}_slow`, { leave: "sent" });
    holds(`when the client leaves in the middle: ${what}`, path, { leave: "begun" });
    holds(`when the client leaves in the middle, compressed: ${what}`, path, { leave: "begun", ...GZIP });
    holds(`when middleware answered before: ${what}`, `${path}${and}_early`, {});
    holds(`when middleware ends it: ${what}`, `${path}${and}_timeout`, {});
  }

  for (const path of [
    "/-/missing",
    "/-/breaking",
    "/-/late-break",
    "/-/late-break?_slow",
    "/-/missing?_slow",
  ]) {
    holds(`when its body fails: ${path}`, path, {});
    holds(`when its body fails, compressed: ${path}`, path, GZIP);
    holds(`when its body fails unseen: ${path}`, path, { method: "HEAD" });
  }
  holds("when middleware pipes a file that is not there", "/?_pipe=missing", {});
  holds("when the client leaves what middleware pipes", "/?_pipe=large", { leave: "begun" });
});
