import type { Bundle } from "rowhouse/plugin-api";

/** What an image is made of, beside the files. */
interface Image extends Pick<Bundle, "inspect" | "serve"> {
  readonly port: number;
  readonly aptPackages: readonly string[];
}

const ROWHOUSE = "node_modules/.bin/rowhouse";
// The shell is there for $PORT alone: all other words reach the server as they are.
const START = `exec ${ROWHOUSE} serve --port "$PORT" "$@"`;

/** The `Dockerfile` of a bundle. Secrets are for the environment of the container, never in here. */
export const dockerfile = ({ inspect, serve, port, aptPackages }: Image): string =>
  [
    "FROM node:20-slim",
    "WORKDIR /app",
    ...aptLines(aptPackages),
    "COPY . ./",
    "RUN npm install --omit=dev --no-audit --no-fund",
    ...(inspect === null ? [] : [`RUN ${JSON.stringify([ROWHOUSE, "inspect", ...inspect])}`]),
    "USER node",
    `ENV NODE_ENV=production PORT=${port}`,
    `EXPOSE ${port}`,
    `CMD ${JSON.stringify(["sh", "-c", START, "rowhouse", ...serve])}`,
    "",
  ].join("\n");

function aptLines(packages: readonly string[]): readonly string[] {
  if (packages.length === 0) return [];
  const install = ["apt-get", "install", "--yes", "--no-install-recommends", "--", ...new Set(packages)];
  return ['RUN ["apt-get", "update"]', `RUN ${JSON.stringify(install)}`];
}
