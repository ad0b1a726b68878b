import { deserialize, serialize } from "node:v8";
import type { SqlInput, SqlParams } from "rowhouse/plugin-api";
import type { SqlConnection } from "rowhouse/plugin-api/contracts";
import { Real, type ReadAllowlist } from "rowhouse/plugin-api/engine";
import type { ConnectionPlan } from "../open/open-connection.js";
import type { RowFormat } from "../read/row-text.js";
import { encodeFrame, type Frame } from "./frames.js";
import type { SentError } from "./sent-errors.js";

/** Something that a plugin did to a connection in `prepare_connection`, to be repeated in a process. */
export type Operation =
  | { readonly do: "exec"; readonly sql: string }
  | { readonly do: "loadExtension"; readonly path: string; readonly entryPoint: string | undefined };

/** How a process opens a database. */
export interface SentPlan extends Omit<ConnectionPlan, "prepare"> {
  readonly operations: readonly Operation[];
}

/** A query as it is sent to a process. */
export interface SentQuery {
  readonly sql: string;
  readonly params: SentParams | undefined;
  readonly timeLimitMs: number;
  readonly maxRows: number | undefined;
  readonly maxCells: number | undefined;
  readonly columns: readonly string[] | undefined;
  readonly allowlist: ReadAllowlist | undefined;
  readonly format: RowFormat;
  /** How long the lock of another process is waited for. */
  readonly lockWaitMs: number;
}

/** Commands that a process carries out one after another, in the order in which they were sent. */
export type OrderedCommand =
  | { readonly type: "open"; readonly id: number; readonly source: string; readonly plan: SentPlan }
  | { readonly type: "read"; readonly id: number; readonly source: string; readonly query: SentQuery }
  | {
      readonly type: "stream";
      readonly id: number;
      readonly source: string;
      readonly query: SentQuery;
      readonly batchSize: number;
    }
  /** The next rows of the stream. */
  | { readonly type: "next"; readonly id: number }
  /** Ends the stream. */
  | { readonly type: "stop"; readonly id: number }
  /** Has no reply. */
  | { readonly type: "close"; readonly id: number; readonly source: string };

/** Commands that a process carries out at once, whatever is running. */
export type UrgentCommand =
  /** Interrupts the command with this id, or removes it from the queue. */
  | { readonly type: "cancel"; readonly id: number }
  /** Returns all commands that have not begun. */
  | { readonly type: "recall" }
  /** Ends the lock of the stream: the process reads the rest of the rows at once. */
  | { readonly type: "release" };

/** What the server sends to a process. README.md describes the protocol. */
export type Command = OrderedCommand | UrgentCommand;

/** What a process sends to the server. `id` is that of the command. */
export type Reply =
  | { readonly type: "ready"; readonly id: 0 }
  /** The command has begun and takes long. Its time limit counts from the beginning of its current operation. */
  | { readonly type: "running"; readonly id: number; readonly elapsedMs: number }
  | { readonly type: "done"; readonly id: number }
  /** The rows are the frame's body. `tookMs` is the processor time since the command began. */
  | {
      readonly type: "rows";
      readonly id: number;
      readonly columns: readonly string[];
      readonly tookMs: number;
    }
  | { readonly type: "end"; readonly id: number }
  | { readonly type: "failed"; readonly id: number; readonly error: SentError }
  /** Commands that had not begun and will not run here. */
  | { readonly type: "returned"; readonly ids: readonly number[] }
  | { readonly type: "released" };

/** A message contains no classes: a `Real` is sent as its number in an object. */
interface SentReal {
  readonly real: number;
}

type SentInput = Exclude<SqlInput, Real> | SentReal;

/** Parameters without classes. */
export type SentParams = readonly SentInput[] | Readonly<Record<string, SentInput>>;

const sentInput = (value: SqlInput): SentInput => (value instanceof Real ? { real: value.value } : value);

const receivedInput = (value: SentInput): SqlInput =>
  typeof value === "object" && value !== null && "real" in value ? new Real(value.real) : value;

const mapParams = <From, To>(
  params: readonly From[] | Readonly<Record<string, From>>,
  map: (value: From) => To,
): readonly To[] | Readonly<Record<string, To>> =>
  Array.isArray(params)
    ? params.map(map)
    : Object.fromEntries(Object.entries(params).map(([name, value]) => [name, map(value)]));

/** Parameters as they are sent. */
export const sentParams = (params: SqlParams | undefined): SentParams | undefined =>
  params === undefined ? undefined : mapParams<SqlInput, SentInput>(params, sentInput);

/** Parameters as they were before they were sent. */
export const receivedParams = (params: SentParams | undefined): SqlParams | undefined =>
  params === undefined ? undefined : mapParams<SentInput, SqlInput>(params, receivedInput);

/** JSON where it can hold the command, because it is several times as fast. It begins with a brace, the other form never. */
export const encodeCommand = (command: Command): readonly Buffer[] =>
  encodeFrame(fitsJson(command) ? Buffer.from(JSON.stringify(command)) : serialize(command));

export const decodeCommand = ({ head }: Frame): Command =>
  (head[0] === OPENING_BRACE ? JSON.parse(head.toString()) : deserialize(head)) as Command;

const OPENING_BRACE = 0x7b;

/** JSON has no large integers, blobs, sets and maps, no negative zero, infinity and NaN. */
function fitsJson(command: Command): boolean {
  if (command.type === "open") return false;
  if (command.type !== "read" && command.type !== "stream") return true;
  const { params, allowlist } = command.query;
  return allowlist === undefined && (params === undefined || Object.values(params).every(isPlain));
}

function isPlain(value: SentInput): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return value === null || typeof value === "string" || typeof value === "boolean";
}

/** Replies are JSON: what comes out of a process that ran untrusted SQL is parsed by nothing more powerful. */
export const encodeReply = (reply: Reply, body?: Uint8Array): readonly Buffer[] =>
  encodeFrame(Buffer.from(JSON.stringify(reply)), body);

export const decodeReply = ({ head }: Frame): Reply => JSON.parse(head.toString()) as Reply;

/** A connection that notes down what is done to it. */
export function recorder(): {
  readonly connection: SqlConnection;
  readonly operations: readonly Operation[];
} {
  const operations: Operation[] = [];
  const connection: SqlConnection = {
    exec: async (sql) => void operations.push({ do: "exec", sql }),
    loadExtension: async (path, entryPoint) =>
      void operations.push({ do: "loadExtension", path, entryPoint }),
  };
  return { connection, operations };
}

/** Does to a connection what was noted down. */
export async function replay(connection: SqlConnection, operations: readonly Operation[]): Promise<void> {
  for (const operation of operations) {
    if (operation.do === "exec") await connection.exec(operation.sql);
    else await connection.loadExtension(operation.path, operation.entryPoint);
  }
}
