import { expect, it } from "vitest";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { removePreset, savePreset } from "./presets.ts";

const subject = { kind: "trigger", slug: "invoice-paid" } as const;

it("a preset is kept under its name, replaced under the same name, and removed once", async () => {
  const service = await openTestService();
  await savePreset(service, { subject, name: "large", value: { amount: 1 } });
  await savePreset(service, { subject, name: "large", value: { amount: 2 } });
  const [preset, ...others] = await service.store.listPresets(subject);
  expect([preset, others]).toMatchObject([{ name: "large", value: { amount: 2 } }, []]);
  await removePreset(service, preset?.id ?? "");
  await expect(removePreset(service, preset?.id ?? "")).rejects.toMatchObject({ code: "not_found" });
});

it("a preset belongs to something that the project has", async () => {
  const service = await openTestService();
  await expect(
    savePreset(service, { subject: { kind: "trigger", slug: "invoice-payed" }, name: "a", value: 1 }),
  ).rejects.toThrow('Did you mean "invoice-paid"?');
  await expect(
    savePreset(service, { subject: { kind: "agent", slug: "notify" }, name: "a", value: 1 }),
  ).rejects.toMatchObject({ code: "not_found" });
});

it("a subject has at most 200 presets, which can still be replaced", async () => {
  const service = await openTestService();
  for (let at = 0; at < 200; at++) await savePreset(service, { subject, name: `preset ${at}`, value: at });
  await expect(savePreset(service, { subject, name: "one more", value: 1 })).rejects.toMatchObject({
    code: "invalid_input",
  });
  expect(await savePreset(service, { subject, name: "preset 7", value: "new" })).toMatchObject({ value: "new" });
});
