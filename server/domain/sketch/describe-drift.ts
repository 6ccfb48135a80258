import { formatCount, formatShare } from "../../shared/format.ts";
import { visibleText } from "../../shared/schema/visible-text.ts";
import type { Drift } from "./find-drift.ts";
import { itemsKey, valuesKey } from "./sketch.ts";

/** A path of a sketch as a JSON Pointer, with `*` for items and for keys that are data. */
export function pointerText(path: string): string {
  const steps = path.split("/").map((step) => (step === itemsKey || step === valuesKey ? "*" : step));
  return path === "" ? "the body" : visibleText(steps.join("/"), 120);
}

/** The change in words, without its time: `3 % stopped matching, all at /issue/type: number, expected a string`. */
export function describeDrift(drift: Drift): string {
  const { change, path, expected, actual, deliveries, of } = drift;
  const where = pointerText(path ?? "");
  switch (change) {
    case "stopped_matching":
      return describeMismatches(drift);
    case "new_type":
      return `${where}: ${actual}${expected ? `, before ${expected}` : ""}${share(deliveries, of)}`;
    case "missing_field":
      return `${where} is missing${share(deliveries, of)}`;
    case "new_field":
      return `${where} is new (${actual})${share(deliveries, of)}`;
    case "new_value":
      return actual === null
        ? `${where} has new values that are no constants${share(deliveries, of)}`
        : `${where} has the new value ${visibleText(JSON.stringify(actual))}${share(deliveries, of)}`;
    case "new_kind":
      return `${visibleText(JSON.stringify(actual ?? ""))} is a new kind of event${share(deliveries, of)}`;
  }
}

function describeMismatches({ trigger, deliveries, of, reasons }: Drift): string {
  const [first] = reasons;
  const part = `${formatShare(deliveries, of)} stopped matching ${trigger ?? ""}`.trimEnd();
  if (!first) return part;
  const value = first.actual ?? "missing";
  const wanted = first.expected === null ? "" : `, expected ${visibleText(first.expected)}`;
  const most = reasons.length === 1 ? "all" : `${formatShare(first.deliveries, deliveries)} of them`;
  return `${part}, ${most} at ${first.pointer === "" ? "the body" : visibleText(first.pointer, 120)}: ${value}${wanted}`;
}

function share(deliveries: number, of: number): string {
  return `, in ${deliveries === of ? "all" : formatShare(deliveries, of)} of ${formatCount(of, "delivery", "deliveries")}`;
}
