import { execFileSync } from "node:child_process";
import { getPriority } from "node:os";
import { expect, test } from "vitest";

const lowest = 19;

test.each([0, 5, 12])("a service that was started with a niceness of %i more gives web a lower priority", (more) => {
  const started = Math.min(getPriority() + more, lowest);
  const program = `
    import { getPriority, setPriority } from "node:os";
    import { yieldToWebhooks } from ${JSON.stringify(new URL("./yield-to-webhooks.ts", import.meta.url))};
    setPriority(${started});
    yieldToWebhooks({ debug: console.error });
    console.log(getPriority());`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(Number(printed)).toBe(Math.min(started + 10, lowest));
});
