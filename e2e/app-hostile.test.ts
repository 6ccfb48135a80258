import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import { describe, expect, it } from "vitest";
import { findInjected } from "./support/harmless.ts";
import { postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { writeProject } from "./support/project.ts";
import { startService } from "./support/service.ts";

const markup = `<img src=x onerror=alert(1)>`;
const scripts = [
  markup,
  `"><script>alert(2)</script>`,
  `<svg/onload=alert(3)>`,
  `javascript:alert(4)`,
  `{{constructor.constructor('alert(5)')()}}`,
  "\u202egnp.exe\u2066",
  `</script><script>alert(6)</script>`,
  `__proto__`,
];
const all = [...scripts, ...naughtyStrings];

/** A project with hostile text in its schemas, logs and errors. */
function hostileProject(): string {
  return writeProject({
    "signalbox.config.ts": `import { defineConfig } from "signalbox/config"; export default defineConfig({ name: ${JSON.stringify(markup)} });`,
    "workflows/shout.ts": `
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "shout",
        input: z.object({ ${scripts.map((text, at) => `${JSON.stringify(`${text}${at}`)}: z.string().default(${JSON.stringify(text)}).meta({ title: ${JSON.stringify(text)}, description: ${JSON.stringify(text)} })`).join(", ")}, list: z.array(z.string()).default([]) }),
        retries: { attempts: 1 },
        async run(input, ctx) {
          for (const text of input.list) ctx.log.info(text, { [text]: text });
          await ctx.step(${JSON.stringify(markup)}, async () => ${JSON.stringify(markup)});
          const error = new Error(${JSON.stringify(scripts.join("\n"))});
          error.name = ${JSON.stringify(markup)};
          throw error;
        },
      });`,
    "triggers/shout.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      import shout from "../workflows/shout";
      export default defineWebhookSource({
        slug: "shout",
        endpoint: "shout",
        request: z.looseObject({ list: z.array(z.string()).meta({ title: ${JSON.stringify(markup)} }), kind: z.enum(${JSON.stringify(scripts)}) }),
      }).attach({ workflow: shout, transform: ({ list }) => ({ list }) });`,
    "triggers/quiet.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      import shout from "../workflows/shout";
      export default defineWebhookSource({
        slug: "quiet",
        endpoint: "shout",
        request: z.looseObject({}),
        filter: z.object({ ${JSON.stringify(markup)}: z.literal(${JSON.stringify(markup)}) }),
      }).attach({ workflow: shout, transform: () => ({ list: [] }) });`,
  });
}

describe("hostile payloads", () => {
  it("are text on every page: they open no dialog, execute no script and send no request", async () => {
    const service = await startService({ projectDir: hostileProject(), command: "dev" });
    const body = {
      kind: markup,
      list: all,
      ...Object.fromEntries(all.filter((text) => text !== "__proto__").map((text) => [text, text])),
    };
    const response = await postJson(`${service.url}/triggers/shout`, body, {
      "user-agent": "<svg/onload=alert(7)>",
      "x-note": markup,
    });
    expect(response.status).toBe(202);
    const { runId } = (await response.json()) as { runId: string };
    await waitForRun(service, runId);
    await postJson(`${service.url}/triggers/${encodeURIComponent("<img>")}`, body);
    const delivery = response.headers.get("signalbox-delivery") ?? "";

    const { page, errors, foreignRequests } = await visit(service.url);
    const places = [
      ["/", "shout"],
      ["/?node=endpoint:shout", "onerror=alert(1)"],
      ["/?node=endpoint:shout&tab=try", "quiet"],
      ["/?node=trigger:shout", "onerror=alert(1)"],
      ["/?node=trigger:shout&tab=schema", "onerror=alert(1)"],
      [`/?node=trigger:shout&tab=test&from=${delivery}`, "onerror=alert(1)"],
      ["/?node=workflow:shout&tab=run", "onerror=alert(1)"],
      ["/deliveries", "shout"],
      [`/deliveries?text=${encodeURIComponent(markup)}&endpoint=${encodeURIComponent(markup)}`, "onerror=alert(1)"],
      [`/deliveries/${delivery}`, "onerror=alert(1)"],
      ["/runs", "shout"],
      [`/runs?text=${encodeURIComponent(markup)}&trigger=${encodeURIComponent(markup)}`, "onerror=alert(1)"],
      [`/runs/${runId}`, "onerror=alert(1)"],
      [`/runs/${runId}?replay=edit`, "onerror=alert(1)"],
    ] as const;
    for (const [path, text] of places) {
      await page.goto(service.url + path);
      await expectText(page, text, path);
      expect(await findInjected(page), path).toEqual([]);
    }
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });
});

/** In the words of the page or in one of its fields. */
async function expectText(page: Awaited<ReturnType<typeof visit>>["page"], text: string, path: string): Promise<void> {
  const has = async () =>
    page.evaluate(
      (wanted) =>
        document.body.innerText.includes(wanted) ||
        [...document.querySelectorAll("input, textarea, select")].some(
          (field) => "value" in field && String(field.value).includes(wanted),
        ),
      text,
    );
  await expect.poll(has, { interval: 200, message: `${text} on ${path}` }).toBe(true);
}
