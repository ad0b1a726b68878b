import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A package as it was published. */
interface Publication {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

/** A registry of npm packages, over HTTP, of what was published to it. */
export interface Registry {
  /** The options with which npm uses the registry. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a version the newest of its package. */
  publish(publication: Publication): void;
  close(): void;
}

/** Starts a registry on a free port. @param cache a folder for what npm keeps of it */
export async function startRegistry(cache: string): Promise<Registry> {
  const versions = new Map<string, Publication[]>();
  const server = createServer((request, response) => {
    const found = answer(decodeURIComponent(request.url ?? "/"));
    response.writeHead(found === null ? 404 : 200, {
      "content-type": Buffer.isBuffer(found) ? "application/octet-stream" : "application/json",
    });
    response.end(Buffer.isBuffer(found) ? found : JSON.stringify(found ?? { error: "Not found" }));
  });
  const answer = (path: string): object | null => {
    const [, name = "", file] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
    const published = versions.get(name);
    if (published === undefined) return null;
    if (file === undefined) return packument(name, published, urlOf(server));
    return published.find(({ manifest }) => manifest.version === file)?.tarball ?? null;
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    environment: {
      npm_config_registry: urlOf(server),
      npm_config_cache: cache,
      npm_config_audit: "false",
      npm_config_fund: "false",
    },
    publish: (publication) => {
      const { name } = publication.manifest;
      versions.set(name, [...(versions.get(name) ?? []), publication]);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function packument(name: string, published: readonly Publication[], url: string): object {
  const described = published.map(({ manifest, tarball }) => [
    manifest.version,
    {
      ...manifest,
      dist: {
        tarball: `${url}/${name}/-/${manifest.version}.tgz`,
        integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
      },
    },
  ]);
  return {
    name,
    "dist-tags": { latest: published.at(-1)?.manifest.version },
    versions: Object.fromEntries(described) as object,
  };
}
