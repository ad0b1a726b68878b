import { deserialize, serialize } from "node:v8";
import {
  Real,
  type ReadAllowlist,
  type SqlConnection,
  type SqlInput,
  type SqlParams,
} from "rowhouse/plugin-api";
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

/** A statement as it travels to a process. */
export interface SentQuestion {
  readonly sql: string;
  readonly params: SentParams | undefined;
  readonly timeLimitMs: number;
  readonly maxRows: number | undefined;
  readonly maxCells: number | undefined;
  readonly columns: readonly string[] | undefined;
  readonly allowlist: ReadAllowlist | undefined;
  readonly wanted: RowFormat;
  /** How long the lock of another process is waited for. */
  readonly lockWaitMs: number;
}

/** What the server tells a process. `read`, `stream`, `next` and `stop` follow one another; the others may come at any time. */
export type Command =
  | { readonly type: "open"; readonly source: string; readonly plan: SentPlan }
  | { readonly type: "read"; readonly source: string; readonly question: SentQuestion }
  | {
      readonly type: "stream";
      readonly source: string;
      readonly question: SentQuestion;
      readonly batchSize: number;
    }
  /** The next rows of the stream. */
  | { readonly type: "next" }
  /** Ends the stream. */
  | { readonly type: "stop" }
  /** Ends the lock of the stream: the process reads the rest of the rows at once. */
  | { readonly type: "release" }
  /** Interrupts the statement. */
  | { readonly type: "cancel" }
  | { readonly type: "close"; readonly source: string };

/** What a process tells the server. */
export type Reply =
  | { readonly type: "ready" }
  /** An operation of the statement has begun: its time limit counts from now. */
  | { readonly type: "alive" }
  | { readonly type: "done" }
  /** The rows are the frame's body. */
  | { readonly type: "rows"; readonly columns: readonly string[] }
  | { readonly type: "end" }
  | { readonly type: "released" }
  | { readonly type: "failed"; readonly error: SentError };

/** Classes do not survive the way: a `Real` travels as its number in an object. */
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

/** Commands keep all kinds of parameters apart: integers beyond 2^53, blobs, sets. */
export const encodeCommand = (command: Command): readonly Buffer[] => encodeFrame(serialize(command));

export const decodeCommand = ({ head }: Frame): Command => deserialize(head) as Command;

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
