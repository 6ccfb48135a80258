import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runTsc } from "../../../sdk/testing/run-tsc.ts";
import { inferredTriggerSchema } from "../../../server/triggers/infer-trigger.ts";
import { buildProject } from "../../build/build-project.ts";
import { renderDiagnostics } from "../../build/diagnostics/diagnostic.ts";
import { makeProject, writeFiles } from "../../build/testing/make-project.ts";
import { runFakeCli } from "../testing/fake-host.ts";

const repository = join(import.meta.dirname, "../../..");

const bodies = [
  ...Array.from({ length: 6 }, (_, n) => ({ type: "invoice.paid", "order-id": n, at: "2026-01-31T12:00:00Z" })),
  ...Array.from({ length: 6 }, () => ({
    type: "customer.created",
    customer: { email: "ada@example.com", tags: ["a"] },
  })),
];

/** A project with the bodies as files. */
function projectWithBodies(): { projectDir: string; files: string[] } {
  const names = bodies.map((_, n) => `requests/${n}.json`);
  const projectDir = makeProject(Object.fromEntries(bodies.map((body, n) => [names[n] ?? "", JSON.stringify(body)])));
  return { projectDir, files: names };
}

const undated = (text: string) => text.replaceAll(/payloads of \d{4}-.*\. \*/g, "payloads. *");

describe("triggers infer", () => {
  it.each([
    { what: "all kinds", only: [], file: "triggers/billing.ts" },
    { what: "one kind, in a folder", only: ["--only", "invoice.paid"], file: "triggers/billing/paid.ts" },
  ])(
    "writes files that type-check and build: $what",
    async ({ only, file }) => {
      const { projectDir, files } = projectWithBodies();
      const { exitCode, stdout, stderr } = await runFakeCli(
        ["triggers", "infer", "billing", "--from", ...files, ...only, "--out", file, "--project", projectDir],
        { cwd: projectDir },
      );
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Inferred from")]);
      const written = stdout.trim().split("\n");
      expect(written).toEqual([file, expect.stringMatching(/^workflows\/handle-billing.*\.ts$/)]);
      for (const path of written) expect(existsSync(join(projectDir, path))).toBe(true);

      const paths = Object.fromEntries(
        ["trigger", "workflow"].map((name) => [`signalbox/${name}`, [join(repository, "sdk", name, "index.ts")]]),
      );
      writeFiles(projectDir, {
        "tsconfig.json": JSON.stringify({
          compilerOptions: {
            strict: true,
            noEmit: true,
            module: "esnext",
            moduleResolution: "bundler",
            allowImportingTsExtensions: true,
            skipLibCheck: true,
            types: [],
            paths,
          },
          include: ["triggers", "workflows"],
        }),
      });
      expect(runTsc(join(projectDir, "tsconfig.json"))).toEqual([]);
      const built = await buildProject({ projectDir });
      expect(renderDiagnostics(built.ok ? built.warnings : built.diagnostics, { color: false })).toBe("");
      expect(built.ok).toBe(true);
    },
    60_000,
  );

  it("prints the trigger of deliveries, and on stderr its evidence", async () => {
    const file = { slug: "billing", file: "triggers/billing.ts", code: "// the trigger\n" };
    const { exitCode, stdout, stderr, asked } = await runFakeCli(
      ["triggers", "infer", "billing", "--since", "30d", "--only", "a"],
      {
        routes: {
          "GET /inferred-trigger": () => ({
            endpoint: "billing",
            trigger: file,
            workflow: { ...file, file: "workflows/handle-billing.ts" },
            deliveries: 2000,
            firstSeen: "2026-11-01T00:00:00.000Z",
            lastSeen: "2026-11-21T00:00:00.000Z",
            isComplete: false,
            kindAt: "/type",
            kinds: [{ value: "a", deliveries: 2000 }],
            only: "a",
          }),
        },
      },
    );
    expect([exitCode, stdout]).toEqual([0, "// the trigger\n"]);
    expect(stderr).toBe(
      "Inferred from 2,000 payloads of 2026-11-01 to 2026-11-21.\nThere are more deliveries in this period. Only the newest were read.\nIt starts workflows/handle-billing.ts. --out writes both files.\n",
    );
    expect(asked).toEqual(["GET /inferred-trigger?endpoint=billing&only=a&since=2026-10-22T10%3A00%3A00.000Z"]);
  });

  it("writes the files that the documentation shows", async () => {
    const page = readFileSync(join(repository, "docs/sdk.md"), "utf8");
    const starter = join(repository, "examples/starter");
    const command = /npx signalbox (triggers infer billing --from )(requests\/invoice-\*\.json)/.exec(page);
    const files = globSync(command?.[2] ?? "", { cwd: starter }).sort();
    const { stdout } = await runFakeCli(
      [...(command?.[1]?.trim().split(" ") ?? []), ...files, "--project", starter, "--json"],
      {
        cwd: starter,
      },
    );
    const { trigger, workflow } = inferredTriggerSchema.parse(JSON.parse(stdout));
    for (const { file, code } of [trigger, workflow])
      expect(undated(page)).toContain(`\`\`\`ts\n// ${file}\n${undated(code)}\`\`\``);
  });

  it("never overwrites a file, and keeps an existing workflow", async () => {
    const { projectDir, files } = projectWithBodies();
    const infer = (out: string) =>
      runFakeCli(["triggers", "infer", "billing", "--from", ...files, "--out", out, "--project", projectDir], {
        cwd: projectDir,
      });
    mkdirSync(join(projectDir, "workflows"));
    writeFileSync(join(projectDir, "workflows/handle-billing.ts"), "// mine\n");
    expect((await infer("triggers/a.ts")).stdout).toBe("triggers/a.ts\n");
    const before = readFileSync(join(projectDir, "triggers/a.ts"), "utf8");
    const again = await infer("triggers/a.ts");
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining("triggers/a.ts already exists.")]);
    expect(readFileSync(join(projectDir, "triggers/a.ts"), "utf8")).toBe(before);
    expect(readFileSync(join(projectDir, "workflows/handle-billing.ts"), "utf8")).toBe("// mine\n");
  });

  it.each([
    [["--out", "../a.ts"], "is not a .ts file in the project's triggers/"],
    [["--since", "7d"], "Use one of the two."],
    [["--only", "refund"], 'No payload is of the kind "refund". Kinds: customer.created, invoice.paid.'],
    [["--from", "requests/none.json"], "cannot be read (ENOENT)"],
    [["--from", "requests/broken.json"], "broken.json is not valid JSON"],
  ])("explains what is wrong with %j", async (options, message) => {
    const { projectDir, files } = projectWithBodies();
    writeFileSync(join(projectDir, "requests/broken.json"), "{");
    const { exitCode, stdout, stderr } = await runFakeCli(
      ["triggers", "infer", "billing", "--from", ...files, ...options, "--project", projectDir],
      { cwd: projectDir },
    );
    expect([exitCode === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain(message);
  });
});
