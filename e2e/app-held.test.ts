import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { Delivery } from "../server/contract/delivery.ts";
import { getJson, postJson } from "./support/api.ts";
import { messagesOf, visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { writeProject } from "./support/project.ts";
import { withSharedService } from "./support/service.ts";

const trigger = (number: string) => `
  import { defineEndpoint } from "signalbox/trigger";
  import { z } from "zod";
  import packOrder from "../workflows/pack-order";
  export default defineEndpoint({ endpoint: "orders", onMismatch: "hold" })
    .source({ slug: "order-paid", request: z.object({ number: ${number} }) })
    .attach({ workflow: packOrder });`;

const it = withSharedService((onCleanup) => ({
  projectDir: writeProject(
    {
      "triggers/order-paid.ts": trigger("z.string()"),
      "workflows/pack-order.ts": `
        import { defineWorkflow } from "signalbox/workflow";
        import { z } from "zod";
        export default defineWorkflow({ slug: "pack-order", input: z.object({ number: z.number() }), run: ({ number }) => number });`,
    },
    onCleanup,
  ),
  command: "dev",
}));

const patient = { timeout: 180_000 };

it("held deliveries are released on their page and in bulk, after the page has shown how many match now", async ({
  service,
}) => {
  const { url, projectDir } = service;
  const send = async (body: unknown) =>
    (await postJson(`${url}/triggers/orders`, body)).headers.get("signalbox-delivery") ?? "";
  const [first] = [await send({ number: 1 }), await send({ number: 2 }), await send({ number: 3 }), await send({})];
  const { page, errors } = await visit(url);
  await page.goto(`${url}/deliveries?outcome=held`);
  const table = page.getByRole("table", { name: "Deliveries" });
  await expect.poll(() => table.getByText("202 held").count(), patient).toBe(4);
  await table.getByText("Waits for a release: request: /number").first().waitFor();

  await page.goto(`${url}/deliveries/${first}`);
  expect(await page.getByRole("button", { name: "Redeliver" }).count()).toBe(0);
  await page.getByRole("button", { name: "Release" }).click();
  await messagesOf(page)
    .getByText(/The delivery is still held\. No trigger matches/)
    .waitFor(patient);

  writeFileSync(join(projectDir, "triggers/order-paid.ts"), trigger("z.number()"));
  await vi.waitFor(async () => {
    const { verdicts } = await getJson<Delivery>(`${url}/api/v1/deliveries/${first}/verdicts`);
    expect(verdicts).toMatchObject([{ outcome: "matched" }]);
  }, patient);
  await page.getByRole("button", { name: "Release" }).click();
  await messagesOf(page).getByText("Released: 1 run started.").waitFor(patient);
  await page.getByText("202 accepted").waitFor(patient);
  await page.getByRole("link", { name: /^run_/ }).first().waitFor(patient);
  await page.getByRole("button", { name: "Redeliver" }).waitFor();
  await page.getByText('{"ok":true,"held":true}').or(page.getByText('"held": true')).first().waitFor();

  await page.goto(`${url}/deliveries?outcome=held`);
  await expect.poll(() => table.getByText("202 held").count(), patient).toBe(3);
  await table
    .getByRole("checkbox", { name: /^Select Delivery/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Release 1 delivery" }).waitFor();
  await page.getByRole("button", { name: "Clear selection" }).click();
  await page.getByRole("button", { name: "Release all of them" }).click();
  const dialog = page.getByRole("dialog", { name: "Release held deliveries?" });
  await dialog.getByText(/2 deliveries match a trigger now, 1 stay held/).waitFor(patient);
  await dialog
    .getByRole("list", { name: "Deliveries that stay held" })
    .getByText(/No trigger matches/)
    .waitFor();
  await expectSoundPage(page, "a release before it is confirmed");
  expect((await getJson<{ data: unknown[] }>(`${url}/api/v1/deliveries?outcome=held`)).data).toHaveLength(3);
  await dialog.getByRole("button", { name: "Release 2 deliveries" }).click();
  const done = page.getByRole("dialog", { name: "Released" });
  await done.getByText(/2 deliveries released, 1 stay held/).waitFor(patient);
  await done.getByRole("button", { name: "Close" }).last().click();
  await expect.poll(() => table.getByText("202 held").count(), patient).toBe(1);
  const { data } = await getJson<{ data: unknown[] }>(`${url}/api/v1/runs`);
  expect(data).toHaveLength(3);
  expect(errors).toEqual([]);
});
