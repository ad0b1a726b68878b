import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { workplace } from "../../cli/command.js";
import { hasPrometheus, startPrometheus, type Prometheus } from "../../harness/prometheus.js";
import { until } from "../../harness/until.js";

const DOCS = fileURLToPath(new URL("../../../../docs/", import.meta.url));
const SECRET = "a-long-secret-that-is-only-for-this-page";
const isRequired = process.env["ROWHOUSE_REQUIRE_PROXIES"] === "1";

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** The block of a page of the documentation that has this title. */
function block(page: string, title: string): string {
  const text = readFileSync(join(DOCS, page), "utf8");
  return new RegExp(`title=${title.replace(".", "\\.")}\n(.*?)\n\`\`\``, "s").exec(text)?.[1] ?? "";
}

describe("A real Prometheus with the configuration of docs/how-to/metrics.md", function () {
  const place = workplace();
  let prometheus: Prometheus | undefined;

  before(async function () {
    if (!hasPrometheus() && !isRequired) {
      console.log("      Prometheus is not installed: apt-get install prometheus");
      this.skip();
    }
    await place.database("library.db", "create table books (id integer primary key, title text)");
    place.write({ "metadata.yaml": `${block("how-to/metrics.md", "metadata.yaml")}\n  insert-row: true\n` });
    const server = await place.serve([
      "library.db",
      "-m",
      "metadata.yaml",
      "--no-config",
      "--secret",
      SECRET,
    ]);
    const words = ["create-token", "prometheus", "--all", "view-metrics", "--all", "view-instance"];
    const { stdout } = await place.run([...words, "--secret", SECRET]);
    place.write({ token: stdout.trim() });
    const configuration = block("how-to/metrics.md", "prometheus.yml")
      .replace("/etc/prometheus/rowhouse-token", join(place.folder, "token"))
      .replace("127.0.0.1:8001", new URL(server.url).host);
    prometheus = await startPrometheus(place.folder, `global: { scrape_interval: 1s }\n${configuration}\n`);
    await use(server.url);
  });

  after(() => prometheus?.stop());

  it("collects metrics with the token", async () => {
    const found = await prometheus?.query('up{job="rowhouse"}');

    expect(found?.map(({ value }) => value)).to.deep.equal([1]);
  });

  it("has values for every panel of docs/grafana-dashboard.json", async () => {
    const { panels } = JSON.parse(readFileSync(join(DOCS, "grafana-dashboard.json"), "utf8")) as Dashboard;
    const empty: string[] = [];
    for (const { title, targets } of panels) {
      const found = await Promise.all(targets.map(({ expr }) => prometheus?.query(expr)));
      if (found.every((samples) => !samples?.some(({ value }) => Number.isFinite(value)))) empty.push(title);
    }

    expect(panels.length).to.be.above(10);
    expect(empty).to.deep.equal([]);
  });

  /** Pages, SQL and inserts until Prometheus has seen two values of each, which a rate needs. */
  async function use(url: string): Promise<void> {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ row: { title: "Emma" } });
    await until(async () => {
      await fetch(`${url}/library/books`);
      await fetch(`${url}/library.json?sql=select+1`);
      await fetch(`${url}/library/books/-/insert`, { method: "POST", headers, body });
      const rates = await prometheus?.query("rate(rowhouse_commit_writes_count[5m]) > 0");
      return (rates?.length ?? 0) > 0;
    });
  }
});
