/** Builds the site into docs/site/dist: `npm run site`. Fails on a broken link, an unlisted page or a warning. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findBrokenLinks } from "./check-links.ts";
import { repository, siteFolder } from "./pages.ts";
import { writePages } from "./write-pages.ts";

writePages();
const astro = join(repository, "node_modules/astro/bin/astro.mjs");
const { status, stdout, stderr } = spawnSync(process.execPath, [astro, "build", "--root", import.meta.dirname], {
  cwd: import.meta.dirname,
  env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1" },
  encoding: "utf8",
});
const output = `${stdout}${stderr}`;
const hasWarned = /\[WARN\]|\[ERROR\]/.test(output);
if (status !== 0 || hasWarned) {
  const warnings = output.split("\n").filter((line) => /\[(?:WARN|ERROR)\]/.test(line));
  process.stdout.write(status === 0 ? `${warnings.join("\n")}\n` : output);
  console.error(hasWarned ? "The site was built with warnings." : "The site could not be built.");
  process.exit(1);
}
const broken = findBrokenLinks(join(import.meta.dirname, "dist"), siteFolder);
if (broken.length > 0) {
  console.error(broken.join("\n"));
  process.exit(1);
}
console.log(/\d+ page\(s\) built[^\n]*/.exec(output)?.[0] ?? "The site was built.");
