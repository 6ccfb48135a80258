import { expect, it } from "vitest";
import { defineConfig } from "./define-config.ts";

it("returns the settings unchanged; the server checks them when it starts", () => {
  const settings = { name: "Hooks", workers: 2 };
  expect(defineConfig(settings)).toBe(settings);
});

it("rejects a value that is no object", () => {
  const define: (config: unknown) => unknown = defineConfig as never;
  expect(() => define(undefined)).toThrow(
    new TypeError('defineConfig needs an object, but got nothing. Write defineConfig({ name: "My hooks" }).'),
  );
});
