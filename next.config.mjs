import { readFileSync } from "node:fs";

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));

/** @type {import("next").NextConfig} */
export default {
  output: "standalone",
  outputFileTracingRoot: root,
  // Pages reach the server through a symbol at run time, never through imports, so nothing of it belongs to what is traced.
  outputFileTracingExcludes: { "*": ["server/**", "cli/**", "sdk/**", "dist/**", "e2e/**", "docs/**", "examples/**", "scripts/**", "drizzle/**", "node_modules/@img/**", "node_modules/sharp/**", "node_modules/typescript/**"] },
  turbopack: { root },
  // Types are checked by `npm test`, once, for the whole repository.
  typescript: { ignoreBuildErrors: true, tsconfigPath: "app/tsconfig.json" },
  images: { unoptimized: true },
  poweredByHeader: false,
  compress: false,
  devIndicators: false,
  skipTrailingSlashRedirect: true,
  reactStrictMode: true,
  generateBuildId: () => version,
  experimental: {
    // An installed package may be read-only: nothing is written at run time.
    isrFlushToDisk: false,
  },
};
