import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson, type Json, type JsonArray, type JsonObject } from "./lossless-json.js";

/** The folder of recorded exchanges; its README describes every field named here. */
export const DATA = fileURLToPath(new URL("../../../spec/conformance/data/", import.meta.url));

/** Every request carries this host, so `{{base}}` is the same text for all servers. */
export const HOST = "rowhouse.test";
export const BASE = `http://${HOST}`;

/** A group with its cases, in the order of the file. */
export interface Group {
  readonly name: string;
  readonly cases: readonly Case[];
}

export interface Case {
  readonly name: string;
  readonly group: string;
  /** Name of a profile. */
  readonly server: string;
  /** Needs a server on untouched copies of the databases, for itself alone. */
  readonly fresh: boolean;
  readonly why: string | null;
  readonly steps: readonly Step[];
  readonly walk: Walk | null;
}

export interface Step {
  readonly request: RecordedRequest;
  readonly response: ExpectedResponse;
}

export interface RecordedRequest {
  readonly method: string;
  /** Already encoded; sent byte for byte. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly token?: Json;
  readonly token_secret?: string;
  readonly token_namespace?: string;
  readonly actor?: Json;
  readonly actor_expires?: Json;
  readonly cookies?: Readonly<Record<string, string>>;
}

export interface ExpectedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | JsonArray | null>>;
  readonly json?: Json;
  readonly text?: string;
  readonly base64?: string;
  readonly bytes?: string;
  readonly html?: Json;
  readonly any_body?: Json;
  readonly exact?: readonly string[];
  readonly soft?: Readonly<Record<string, string>>;
  readonly subset?: boolean;
}

export interface Walk {
  readonly path: string;
  readonly rows: number;
  readonly pages?: readonly JsonObject[];
  readonly every_row_once?: boolean;
}

/** Every group of the folder, by name. */
export function readGroups(): readonly Group[] {
  const files = readdirSync(join(DATA, "cases")).toSorted();
  return files.map((file) => ({
    name: file.replace(".jsonl", ""),
    cases: readCases(join(DATA, "cases", file)),
  }));
}

const readCases = (file: string): Case[] => readFileSync(file, "utf8").trimEnd().split("\n").map(readCase);

function readCase(line: string): Case {
  const recorded = parseJson(line.replaceAll("{{base}}", BASE)) as unknown as Partial<Case> & Partial<Step>;
  const { name, group, server, request, response } = recorded;
  if (name === undefined || group === undefined || server === undefined) {
    throw new Error(`A case needs a name, a group and a server: ${line.slice(0, 200)}`);
  }
  const single = request !== undefined && response !== undefined ? [{ request, response }] : [];
  return {
    name,
    group,
    server,
    fresh: recorded.fresh ?? false,
    why: recorded.why ?? null,
    steps: recorded.steps ?? single,
    walk: recorded.walk ?? null,
  };
}
