import { expect, it } from "vitest";
import { defineConfig } from "./define-config.ts";

it("gives back the settings as they are, for the start to check", () => {
  const settings = { name: "Hooks", workers: 2 };
  expect(defineConfig(settings)).toBe(settings);
});

it("refuses what is no object", () => {
  const define: (config: unknown) => unknown = defineConfig as never;
  expect(() => define(undefined)).toThrow(
    new TypeError('defineConfig needs an object, but got nothing. Write defineConfig({ name: "My hooks" }).'),
  );
});
