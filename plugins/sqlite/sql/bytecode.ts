/** An instruction of the program that SQLite compiles a statement to, as EXPLAIN lists them. */
export interface Instruction {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string | null;
}

/** A table or index that a program opens. */
export interface OpenedRoot {
  readonly root: number;
  /** 0 is the main database, 1 holds temporary tables, those that are attached follow. */
  readonly database: number;
  readonly writes: boolean;
}

type Operands = Pick<Instruction, "p1" | "p2" | "p3">;

const OPENS: ReadonlyMap<string, (operands: Operands) => OpenedRoot> = new Map<
  string,
  (operands: Operands) => OpenedRoot
>([
  ["OpenRead", ({ p2, p3 }) => ({ root: p2, database: p3, writes: false })],
  ["ReopenIdx", ({ p2, p3 }) => ({ root: p2, database: p3, writes: false })],
  ["OpenWrite", ({ p2, p3 }) => ({ root: p2, database: p3, writes: true })],
  ["Clear", ({ p1, p2 }) => ({ root: p1, database: p2, writes: true })],
]);

/** Every root page that a program opens, in order. */
export const openedRoots = (program: readonly Instruction[]): OpenedRoot[] =>
  program.flatMap(({ opcode, ...operands }) => OPENS.get(opcode)?.(operands) ?? []);

/** Does a program open a virtual table? Those have no root page. */
export const opensVirtual = (program: readonly Instruction[]): boolean =>
  program.some(({ opcode }) => opcode === "VOpen" || opcode === "VUpdate");

/** Table-valued functions that read nothing but their arguments. */
export const PURE_FUNCTIONS: ReadonlySet<string> = new Set([
  "json_each",
  "json_tree",
  "jsonb_each",
  "jsonb_tree",
]);
