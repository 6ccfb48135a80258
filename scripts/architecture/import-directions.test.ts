import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "../..");
const { componentLevels } = z
  .object({ componentLevels: z.array(z.array(z.string())) })
  .parse(await import(join(root, ".dependency-cruiser.mjs")));

function violations(folders: string[]): string[] {
  const result = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/.bin/depcruise"),
      "--config",
      ".dependency-cruiser.mjs",
      "--output-type",
      "json",
      ...folders,
    ],
    { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
  );
  const report = JSON.parse(result.stdout) as {
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  return report.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

describe("import directions", () => {
  it("are followed everywhere", () => {
    expect(violations(["sdk", "server", "cli", "testing", "app", "components"])).toEqual([]);
  });

  it("have a level for each folder of the app", () => {
    const folders = readdirSync(join(root, "components"), { withFileTypes: true }).filter((one) => one.isDirectory());
    expect(folders.map(({ name }) => `components/${name}`).sort()).toEqual(componentLevels.flat().sort());
  });

  it("fail for deliberate violations", () => {
    const found = violations(["scripts/architecture/violations"]).join("\n");
    expect(found).toContain("sdk-imports-downwards: scripts/architecture/violations/sdk/upwards.ts");
    expect(found).toContain(
      "server-ingest-imports-downwards: scripts/architecture/violations/server/ingest/sibling.ts",
    );
    expect(found).toContain(
      "server-engine-imports-downwards: scripts/architecture/violations/server/engine/connected.ts",
    );
    expect(found).toContain("no-cycles: scripts/architecture/violations/server/contract/first.ts");
    expect(found).toContain("components-know-the-contract-only: scripts/architecture/violations/components/peek.ts");
    expect(found).toContain(
      "components-ui-imports-downwards: scripts/architecture/violations/components/ui/upwards.ts",
    );
    expect(found).toContain("one-reader-of-the-database-driver: scripts/architecture/violations/server/http/driver.ts");
    expect(found).toContain("store-core-knows-no-database: scripts/architecture/violations/server/store/core/bound.ts");
    for (const database of ["sqlite", "postgres"])
      expect(found).toContain(
        `store-${database}-is-independent: scripts/architecture/violations/server/store/${database}/`,
      );
    expect(found).toContain("supervisor-has-no-store: scripts/architecture/violations/server/processes/supervisor.ts");
    expect(found).toContain("tools-are-loaded-lazily: scripts/architecture/violations/server/processes/eager.ts");
    expect(found).toContain("nothing-imports-pages: scripts/architecture/violations/cli/page.ts");
  });
});
