import { graphlib, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from "@dagrejs/dagre";

type Graph = graphlib.Graph<GraphLabel, Partial<NodeLabel>, Partial<EdgeLabel>>;

/** The size of a picture in pixels, without zoom. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const GAP = 24;
/** Between a table and those that it refers to: room for lines. */
const RANK_GAP = 72;

export const tablesOf = (canvas: HTMLElement): readonly HTMLElement[] => [
  ...canvas.querySelectorAll<HTMLElement>(".diagram-table"),
];

export const referencesOf = (table: HTMLElement): readonly HTMLElement[] => [
  ...table.querySelectorAll<HTMLElement>("[data-other-table]"),
];

const nameOf = ({ dataset }: HTMLElement): string => dataset["table"] ?? "";

/** Tables that are laid out together, with their places inside. */
interface Group extends Size {
  readonly places: readonly { readonly table: HTMLElement; readonly left: number; readonly top: number }[];
}

const hasLines = ({ places }: Group): number => Number(places.length > 1);

/** Places each group of tables that refer to each other, from left to right, and the groups in rows. */
export function placeTables(canvas: HTMLElement): Size {
  const tables = tablesOf(canvas);
  canvas.classList.add("diagram-measured");
  const groups = connectedTables(tables).map(groupOf);
  // References first. Then high groups: rows of groups of about the same height waste less room.
  groups.sort((one, two) => hasLines(two) - hasLines(one) || two.height - one.height);
  return placeInRows(groups, canvas.parentElement?.clientWidth ?? 0);
}

/** The tables, in sets between which there are no references. */
function connectedTables(tables: readonly HTMLElement[]): readonly (readonly HTMLElement[])[] {
  const graph = graphOf(tables);
  return graphlib.alg
    .components(graph)
    .map((names: readonly string[]) => tables.filter((table) => names.includes(nameOf(table))));
}

function graphOf(tables: readonly HTMLElement[]): Graph {
  const graph: Graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: GAP, ranksep: RANK_GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const table of tables)
    graph.setNode(nameOf(table), { width: table.offsetWidth, height: table.offsetHeight });
  for (const table of tables) {
    for (const { dataset } of referencesOf(table)) {
      const other = dataset["otherTable"] ?? "";
      if (other !== nameOf(table)) graph.setEdge(nameOf(table), other, {}, dataset["otherColumn"]);
    }
  }
  return graph;
}

function groupOf(tables: readonly HTMLElement[]): Group {
  const graph = graphOf(tables);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const places = tables.map((table) => {
    const { x = 0, y = 0 } = graph.node(nameOf(table));
    return { table, left: x - table.offsetWidth / 2, top: y - table.offsetHeight / 2 };
  });
  return { width, height, places };
}

/** Fills rows of groups from the top down, each as high as its highest group. */
function placeInRows(groups: readonly Group[], width: number): Size {
  let [x, y, rowHeight, widest] = [GAP, GAP, 0, 0];
  for (const group of groups) {
    if (x > GAP && x + group.width + GAP > width) [x, y, rowHeight] = [GAP, y + rowHeight + GAP, 0];
    for (const { table, left, top } of group.places) moveTo(table, x + left, y + top);
    x += group.width + 2 * GAP;
    rowHeight = Math.max(rowHeight, group.height);
    widest = Math.max(widest, x);
  }
  return { width: widest, height: y + rowHeight + GAP };
}

function moveTo({ style }: HTMLElement, left: number, top: number): void {
  style.left = `${Math.round(left)}px`;
  style.top = `${Math.round(top)}px`;
}
