import { Kernel, type KernelOptions } from "rowhouse";
import type { Actor, Reply } from "rowhouse/plugin-api";
import type { ReplyBody } from "rowhouse/plugin-api/http";
import type { PartialChoices } from "../arguments/choices.js";
import { isClosedPipe } from "../closed-pipe.js";

/**
 * Prints the reply to one path. The exit code is 0 only for status 200.
 *
 * @throws StartupError if the start fails
 */
export async function answerOnce(
  options: KernelOptions,
  choices: PartialChoices,
  path: string,
): Promise<void> {
  const kernel = await Kernel.open(options);
  try {
    const reply = await kernel.fetch(path.startsWith("/") ? path : `/${path}`, {
      ...(choices.token !== undefined && { headers: { authorization: `Bearer ${choices.token}` } }),
      ...(choices.actor !== undefined && { actor: choices.actor as Actor }),
    });
    if (choices.headers === true) process.stdout.write(`${headText(reply)}\n\n`);
    await print(reply.body);
    process.exitCode = reply.status === 200 ? 0 : 1;
  } finally {
    await kernel.close();
  }
}

function headText({ status, headers }: Reply): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  return [`HTTP/1.1 ${status}`, ...lines].join("\n");
}

async function print(body: ReplyBody): Promise<void> {
  const pieces = typeof body === "string" || body instanceof Uint8Array ? [body] : body;
  for await (const piece of pieces) await written(piece);
  await written("\n");
}

const written = (piece: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => (error && !isClosedPipe(error) ? reject(error) : resolve()));
  });
