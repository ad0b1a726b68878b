import { button, element } from "rowhouse/browser";
import { t } from "./texts.js";
import { svgElement } from "./svg-element.js";

/** The styles of shapes, which a file has to contain itself. */
const STYLES = ["fill", "stroke", "font-family", "font-size", "font-variant-numeric", "color"] as const;
const LINE = 22;

/** Buttons that save the picture as a file. */
export const downloadButtons = (picture: HTMLElement): HTMLButtonElement[] =>
  (["SVG", "PNG"] as const).map((kind) => {
    const download = (): void => {
      const svg = svgFile(picture);
      if (svg === null) return;
      if (kind === "SVG") save(new Blob([svg.text], { type: "image/svg+xml" }), "chart.svg");
      else void pngFile(svg).then((png) => png !== null && save(png, "chart.png"));
    };
    return button(kind, download, { class: "quiet", "aria-label": t("script.chart.download", { kind }) });
  });

interface SvgFile {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** The picture with its title and legend as one file that looks like the page. */
function svgFile(picture: HTMLElement): SvgFile | null {
  const shown = picture.querySelector<SVGSVGElement>("svg[role=img]");
  if (shown === null) return null;
  const page = getComputedStyle(picture);
  const copy = withStyles(shown);
  const legend = [...picture.querySelectorAll<HTMLElement>("[class*=swatch]:not([class*=swatches])")];
  const width = Number(shown.getAttribute("width"));
  const above = LINE * (legend.length > 0 ? 2 : 1);
  const height = Number(shown.getAttribute("height")) + above;
  copy.setAttribute("y", String(above));
  const file = svgElement("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  });
  const text = { "font-family": "sans-serif", "font-size": 13, fill: page.color };
  const title = svgElement("text", { x: 8, y: 16, ...text });
  title.textContent = `${document.querySelector("h1")?.textContent?.trim() ?? ""}: ${shown.getAttribute("aria-label") ?? ""}`;
  const background = getComputedStyle(picture.closest(".panel") ?? document.body).backgroundColor;
  file.append(
    svgElement("rect", { width, height, fill: background }),
    title,
    ...legendOf(legend, text),
    copy,
  );
  return { text: new XMLSerializer().serializeToString(file), width, height };
}

function legendOf(
  swatches: readonly HTMLElement[],
  text: Readonly<Record<string, string | number>>,
): Element[] {
  let x = 8;
  return swatches.flatMap((swatch) => {
    const shape = swatch.querySelector("rect, svg");
    const name = swatch.textContent ?? "";
    const parts = [
      svgElement("rect", {
        x,
        y: LINE + 4,
        width: 12,
        height: 12,
        fill: shape === null ? "none" : getComputedStyle(shape).fill,
      }),
      svgElement("text", { x: x + 16, y: LINE + 15, ...text }),
    ];
    parts[1]?.append(name);
    x += 32 + name.length * 7.5;
    return parts;
  });
}

/** A copy in which each shape has the styles that the page gives it. */
function withStyles(shown: SVGSVGElement): SVGSVGElement {
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const originals = [shown, ...shown.querySelectorAll("*")];
  for (const [index, part] of [copy, ...copy.querySelectorAll("*")].entries()) {
    const original = originals[index];
    if (original === undefined) continue;
    const styles = getComputedStyle(original);
    part.removeAttribute("style");
    for (const name of STYLES) {
      const value = styles.getPropertyValue(name);
      if (value !== "") part.setAttribute(name, value);
    }
  }
  return copy;
}

/** Twice as large, for screens with small pixels. The policy of pages allows images of data addresses. */
async function pngFile({ text, width, height }: SvgFile): Promise<Blob | null> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: width * 2, height: height * 2 });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function save(content: Blob, name: string): void {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
