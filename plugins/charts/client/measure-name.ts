import type { Aggregate, Choice } from "./choice.js";
import { t } from "./texts.js";

/** `mean of price`; `rows` for counts. */
export const measureName = ({ y, agg }: Choice): string =>
  y === ""
    ? t("script.chart.rows")
    : agg === ""
      ? y
      : t("script.chart.of", { what: t(`script.chart.${agg}`), column: y });

export const aggregateWords = (agg: Aggregate): string =>
  t(`script.chart.${agg}`).replace(/^./, (first) => first.toUpperCase());
