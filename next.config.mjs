import { readFileSync } from "node:fs";

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));

/** @type {import("next").NextConfig} */
export default {
  output: "standalone",
  outputFileTracingRoot: root,
  // Images are not resized at run time.
  outputFileTracingExcludes: { "*": ["node_modules/@img/**", "node_modules/sharp/**"] },
  turbopack: { root },
  // Types are checked by `npm test`, once, for the whole repository.
  typescript: { ignoreBuildErrors: true, tsconfigPath: "app/tsconfig.json" },
  images: { unoptimized: true },
  poweredByHeader: false,
  compress: false,
  devIndicators: false,
  // The command line prints the received webhooks. Lines for the requests of pages would hide them.
  logging: false,
  skipTrailingSlashRedirect: true,
  reactStrictMode: true,
  generateBuildId: () => version,
  experimental: {
    // An installed package may be read-only: nothing is written at run time.
    isrFlushToDisk: false,
    // The code of a page is loaded by its first request.
    preloadEntriesOnStart: false,
  },
};
