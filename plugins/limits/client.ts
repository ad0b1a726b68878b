import { isIPv6 } from "node:net";
import { jsonText, type Actor, type Request } from "rowhouse/plugin-api";
import { isFromThisMachine } from "rowhouse/plugin-api/http";

/** The client to which a request counts: its actor, or the address of an anonymous client. */
export function clientOf(request: Request, actor: Actor | null): string {
  const id = actor?.id;
  return id === undefined || id === null
    ? `address ${networkOf(addressOf(request))}`
    : `actor ${jsonText(id)}`;
}

/** A proxy on this machine adds the address of its client as the last one. Other clients could write anything there. */
function addressOf(request: Request): string {
  const { remoteAddress, headers } = request;
  const last = isFromThisMachine(request) ? headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined;
  return last === undefined || last === "" ? (remoteAddress ?? "local") : last;
}

/** One client has a whole network of 2^64 IPv6 addresses. @example networkOf("2001:db8::1"); // "2001:db8:0:0" */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.toLowerCase().startsWith("::ffff:")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
