import starlight from "@astrojs/starlight";
import { join } from "node:path";
import { defineConfig } from "astro/config";
import starlightLlmsTxt from "starlight-llms-txt";
import starlightOpenAPI, { openAPISidebarGroups } from "starlight-openapi";
import { repository, sections, siteUrl, slugOf } from "./pages.ts";

export default defineConfig({
  site: siteUrl.origin,
  base: siteUrl.pathname,
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
          // A model loads the part that it needs: all pages together are longer than most of them can read.
          customSets: sections
            .filter(({ label }) => label !== "For contributors")
            .map(({ label, description, files }) => ({ label, description, paths: files.map(slugOf) })),
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
