import { expect, it } from "vitest";
import { deliveryOutcomeSchema, verdictOutcomeSchema } from "../../server/contract/delivery.ts";
import { runStatusSchema } from "../../server/contract/run.ts";
import { deliveryOutcomes, isOpen, runStatuses, verdictOutcomes } from "./statuses.ts";

it("every status of the contract has a label, an icon and a tone", () => {
  expect(Object.keys(runStatuses).sort()).toEqual([...runStatusSchema.options].sort());
  expect(Object.keys(deliveryOutcomes).sort()).toEqual([...deliveryOutcomeSchema.options].sort());
  expect(Object.keys(verdictOutcomes).sort()).toEqual([...verdictOutcomeSchema.options].sort());
});

it.each([
  ["runs", runStatuses],
  ["deliveries", deliveryOutcomes],
  ["verdicts", verdictOutcomes],
])("statuses of %s differ in label and icon", (_, table) => {
  const styles = Object.values(table);
  expect(new Set(styles.map((style) => style.label)).size).toBe(styles.length);
  expect(new Set(styles.map((style) => style.icon)).size).toBe(styles.length);
});

it("a run is open until it has ended", () => {
  expect(runStatusSchema.options.filter(isOpen)).toEqual(["queued", "running", "waiting"]);
});
