import { STATUS_CODES } from "node:http";
import { send, type TestReply } from "../harness/requests.js";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly showsHeaders: boolean;
}

/** Where a command runs. */
export interface Surroundings {
  /** Where the server of the example really is. */
  readonly origin: string;
  /** Where the examples say it is. */
  readonly printedOrigin: string;
  readonly readFile: (name: string) => string;
}

/**
 * What `curl` prints, for the options that examples use: `-i`, `-s`, `-I`, `-X`, `-H`, `-d`, `-G`,
 * `--data-urlencode`, `--data-binary @file`.
 */
export async function curl(words: readonly string[], surroundings: Surroundings): Promise<string> {
  const { origin, printedOrigin } = surroundings;
  const { method, path, headers, body, showsHeaders } = asked(words, surroundings);
  const host = new URL(origin);
  const reply = await send(Number(host.port), method, path, {
    headers: { host: new URL(printedOrigin).host, ...headers },
    body,
  });
  return showsHeaders ? `${head(reply)}\n\n${reply.text}` : reply.text;
}

function head({ status, headers }: TestReply): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines].join("\n");
}

function asked(words: readonly string[], { printedOrigin, readFile }: Surroundings): Asked {
  let method: string | null = null;
  let url = "";
  let showsHeaders = false;
  let inQuery = false;
  const headers: Record<string, string> = {};
  const data: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const value = (): string => words[(at += 1)] ?? "";
    if (word === "-s") continue;
    if (word === "-i") showsHeaders = true;
    else if (word === "-I") [method, showsHeaders] = ["HEAD", true];
    else if (word === "-G") inQuery = true;
    else if (word === "-X") method = value();
    else if (word === "-d") data.push(value());
    else if (word === "--data-urlencode") data.push(urlEncoded(value()));
    else if (word === "--data-binary") data.push(readFile(value().replace(/^@/, "")));
    else if (word === "-H") Object.assign(headers, header(value()));
    else if (word.startsWith("-")) throw new Error(`curl ${word} is not known to these specs`);
    else url = word;
  }
  if (!url.startsWith(printedOrigin)) throw new Error(`${url} is not on the example's server`);
  const path = url.slice(printedOrigin.length) || "/";
  if (inQuery)
    return {
      method: method ?? "GET",
      path: `${path}?${data.join("&")}`,
      headers,
      body: undefined,
      showsHeaders,
    };
  const sent = data.length > 0;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  return {
    method: method ?? (sent ? "POST" : "GET"),
    path,
    headers: { ...(sent && form), ...headers },
    body: sent ? data.join("&") : undefined,
    showsHeaders,
  };
}

function urlEncoded(text: string): string {
  const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  return `${name}=${encodeURIComponent(value)}`;
}

function header(text: string): Readonly<Record<string, string>> {
  const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/s.exec(text) ?? [];
  return { [name.toLowerCase()]: value };
}
