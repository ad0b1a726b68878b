import { parameterRefs, queryArgument, type ApiDescription } from "rowhouse/plugin-api/openapi";

const parameters = {
  group: queryArgument(
    "_group",
    "Groups of rows: columns, steps of dates and intervals of numbers, `genre_id,date(added,month),interval(price,10)`",
  ),
  inGroup: queryArgument(
    "_in_group",
    "The rows of a group: the term of `_group` and its value, `interval(price,10):20`",
  ),
  agg: queryArgument("_agg", "Values of each group: `count,sum(price),count(distinct author_id)`"),
};

/** The arguments that group rows. */
export const api: ApiDescription = { parameters, rowParameters: () => parameterRefs(parameters) };
