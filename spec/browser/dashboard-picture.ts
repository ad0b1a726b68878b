/**
 * Draws the panels of docs/grafana-dashboard.json with the values that a Prometheus has collected.
 *
 *     node dist/spec/browser/dashboard-picture.js http://127.0.0.1:9090 docs/images/dashboard.png
 *
 * shows the last minutes in the arrangement of the dashboard. Grafana itself is not needed.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { html, type Html } from "rowhouse/plugin-api";
import { launchChromium } from "./chromium.js";

const MINUTES = 4;
const STEP_SECONDS = 5;
const PANEL = { width: 620, height: 170 };
const GRID_COLUMNS = 24;
const COLOURS = ["#2b6cb0", "#c05621", "#2f855a", "#805ad5", "#b83280", "#718096", "#b7791f", "#2c7a7b"];

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly Target[];
}

interface Series {
  readonly name: string;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

interface RangeAnswer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

const [origin, file] = process.argv.slice(2);
if (origin === undefined || file === undefined)
  throw new Error("Usage: dashboard-picture.js PROMETHEUS PICTURE");
const dashboard = fileURLToPath(new URL("../../../docs/grafana-dashboard.json", import.meta.url));
const { panels } = JSON.parse(readFileSync(dashboard, "utf8")) as { readonly panels: readonly Panel[] };
const end = Math.floor(Date.now() / 1000);
const start = end - MINUTES * 60;

const drawn = await Promise.all(
  panels
    .toSorted((a, b) => a.gridPos.y - b.gridPos.y || a.gridPos.x - b.gridPos.x)
    .map(async (panel) => drawPanel(panel, (await Promise.all(panel.targets.map(seriesOf))).flat())),
);
const browser = await launchChromium();
const page = await browser.newPage({ viewport: { width: 1340, height: 800 } });
await page.setContent(pageOf(drawn).markup);
await page.screenshot({ path: file, fullPage: true });
await browser.close();

async function seriesOf({ expr, legendFormat }: Target): Promise<readonly Series[]> {
  const query = new URLSearchParams({
    query: expr,
    start: `${start}`,
    end: `${end}`,
    step: `${STEP_SECONDS}`,
  });
  const reply = await fetch(`${origin}/api/v1/query_range?${query}`);
  const { data } = (await reply.json()) as RangeAnswer;
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_all, label: string) => metric[label] ?? ""),
    points: values
      .map(([seconds, value]) => [seconds, Number(value)] as const)
      .filter(([, value]) => Number.isFinite(value)),
  }));
}

function drawPanel({ title, gridPos, fieldConfig }: Panel, series: readonly Series[]): Html {
  const { unit } = fieldConfig.defaults;
  const most = Math.max(...series.flatMap(({ points }) => points.map(([, value]) => value)), 1e-9) * 1.1;
  const x = (seconds: number): string => (((seconds - start) / (end - start)) * PANEL.width).toFixed(1);
  const y = (value: number): string => (PANEL.height * (1 - value / most)).toFixed(1);
  const lines = series.map(
    ({ points }, index) =>
      html`<polyline
        points="${points.map(([seconds, value]) => `${x(seconds)},${y(value)}`).join(" ")}"
        stroke="${COLOURS[index % COLOURS.length] ?? ""}"
      />`,
  );
  const levels = [0, 0.25, 0.5, 0.75].map((share) => {
    const height = PANEL.height * (1 - share);
    const label = html`<text x="4" y="${height - 4}">${withUnit(share * most, unit)}</text>`;
    return html`<line x1="0" x2="${PANEL.width}" y1="${height}" y2="${height}" />${label}`;
  });
  const legend = series.map(
    ({ name }, index) => html`<li style="--colour: ${COLOURS[index % COLOURS.length] ?? ""}">${name}</li>`,
  );
  return html`<section style="grid-column: span ${(gridPos.w / GRID_COLUMNS) * 2}">
    <h2>${title}</h2>
    <svg viewBox="0 0 ${PANEL.width} ${PANEL.height}">${levels}${lines}</svg>
    <ul>
      ${legend}
    </ul>
  </section>`;
}

/** A number with three digits. */
function short(number: number): string {
  return String(Number(number.toPrecision(3)));
}

function withUnit(value: number, unit: string): string {
  if (unit === "bytes") return `${short(value / 1024 ** 2)} MiB`;
  if (unit === "percentunit") return `${short(value * 100)}%`;
  if (unit === "s") return value < 1 ? `${short(value * 1000)} ms` : `${short(value)} s`;
  return unit === "reqps" ? `${short(value)} req/s` : short(value);
}

function pageOf(sections: readonly Html[]): Html {
  return html`<!doctype html>
    <meta charset="utf-8" />
    <style>
      body {
        font:
          13px system-ui,
          sans-serif;
        margin: 16px;
        background: #f4f5f5;
        color: #24292e;
        display: grid;
        grid-template-columns: 1fr 1fr;
        gap: 12px;
      }
      section {
        background: white;
        border: 1px solid #dde;
        padding: 10px 14px;
      }
      h2 {
        font-size: 14px;
        margin: 0 0 8px;
      }
      polyline {
        fill: none;
        stroke-width: 1.6;
      }
      line {
        stroke: #e4e5ea;
      }
      text {
        font-size: 10px;
        fill: #777;
      }
      ul {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 14px;
        padding: 0;
        margin: 6px 0 0;
        list-style: none;
      }
      li::before {
        content: "";
        display: inline-block;
        width: 14px;
        height: 3px;
        margin-right: 5px;
        vertical-align: middle;
        background: var(--colour);
      }
    </style>
    ${sections}`;
}
