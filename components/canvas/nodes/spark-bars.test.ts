import { expect, it } from "vitest";
import { sparkBars } from "./spark-bars.ts";

it("a rare rejection among many deliveries is visible", () => {
  const { bad } = sparkBars(
    [
      { count: 10_000, rejected: 1 },
      { count: 3, rejected: 0 },
    ],
    26,
  );
  expect(bad).toBe("M0 0h8v2h-8z");
});
