import starlight from "@astrojs/starlight";
import { join } from "node:path";
import { defineConfig } from "astro/config";
import starlightLlmsTxt from "starlight-llms-txt";
import starlightOpenAPI, { openAPISidebarGroups } from "starlight-openapi";
import { repository, sections, slugOf } from "./pages.ts";

/** Where the site is served. Only llms.txt and the sitemap have absolute addresses. */
const site = process.env.SITE_URL ?? "http://localhost:4321";

export default defineConfig({
  site,
  root: import.meta.dirname,
  outDir: "./dist",
  telemetry: false,
  integrations: [
    starlight({
      title: "Signalbox",
      description: "Self-hosted webhooks that start durable TypeScript workflows.",
      logo: { src: "../../app/icon.svg" },
      favicon: "/icon.svg",
      customCss: ["@fontsource-variable/geist", "@fontsource-variable/geist-mono", "./src/site.css"],
      pagefind: true,
      lastUpdated: false,
      disable404Route: true,
      plugins: [
        starlightOpenAPI([
          {
            base: "rest",
            schema: join(repository, "docs/openapi.json"),
            sidebar: { label: "REST operations", collapsed: true },
          },
        ]),
        starlightLlmsTxt({
          projectName: "Signalbox",
          exclude: ["contributing/**", "rest/**"],
        }),
      ],
      sidebar: [
        ...sections.map(({ label, files, collapsed = false }) => ({
          label,
          collapsed,
          items: files.map((file) => ({ slug: slugOf(file) })),
        })),
        ...openAPISidebarGroups,
      ],
    }),
  ],
});
