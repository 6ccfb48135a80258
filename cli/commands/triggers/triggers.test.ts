import { expect, it } from "vitest";
import { fakeTrigger, runFakeCli } from "../testing/fake-host.ts";

const list = (...triggers: unknown[]) =>
  runFakeCli(["triggers", "list"], { routes: { "GET /triggers": () => ({ data: triggers }) } });

it("verify, dedupe and rateLimit are columns if a trigger has them", async () => {
  const plain = await list(fakeTrigger);
  expect(plain.stdout).not.toMatch(/SIGNED|REPEATS|LIMIT/);
  const guarded = {
    ...fakeTrigger,
    slug: "pushed",
    verify: "github",
    dedupe: { header: null, field: null, windowMs: 86_400_000 },
    rateLimit: { requests: 100, per: "minute" },
  };
  const { stdout } = await list(fakeTrigger, guarded);
  expect(stdout).toMatch(/FILTER +SIGNED +DEDUPE +RATE LIMIT +FILE/);
  expect(stdout).toMatch(/new-signup .* no +no +default keys +no +triggers/);
  expect(stdout).toMatch(/pushed .* no +github +signature +100\/minute +triggers/);
});
