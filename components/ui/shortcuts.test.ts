import { describe, expect, it } from "vitest";
import { type PressedKey, readKey } from "./shortcuts.ts";

const press = (key: string, more: Partial<PressedKey> = {}): PressedKey => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});
const calm = { pending: null, isTyping: false, hasSingleKeys: true } as const;

describe("global keyboard shortcuts", () => {
  it.each([
    ["⌘K", press("k", { metaKey: true }), "search"],
    ["Ctrl K", press("k", { ctrlKey: true }), "search"],
    ["Ctrl K on a Russian keyboard", press("л", { ctrlKey: true, code: "KeyK" }), "search"],
    ["Ctrl K with caps lock", press("K", { ctrlKey: true }), "search"],
    ["/ where it needs shift", press("/", { shiftKey: true, code: "Digit7" }), "filter"],
    ["?", press("?", { shiftKey: true }), "help"],
    ["t", press("t"), "theme"],
  ])("%s", (_, pressed, command) => {
    expect(readKey(pressed, calm)).toEqual({ command, pending: null });
  });

  it.each([
    ["c", "canvas"],
    ["d", "deliveries"],
    ["r", "runs"],
    ["x", null],
  ])("g and then %s", (second, command) => {
    expect(readKey(press("g"), calm)).toEqual({ command: null, pending: "g" });
    expect(readKey(press(second), { ...calm, pending: "g" })).toEqual({ command, pending: null });
  });

  it("while the user types, only the search shortcut works", () => {
    const typing = { ...calm, isTyping: true };
    for (const key of ["/", "?", "t", "g", "c"])
      expect(readKey(press(key), typing)).toEqual({ command: null, pending: null });
    expect(readKey(press("k", { metaKey: true }), typing).command).toBe("search");
  });

  it("single keys can be disabled, and the search shortcut stays", () => {
    const off = { ...calm, hasSingleKeys: false };
    for (const key of ["/", "?", "t", "g"]) expect(readKey(press(key), off)).toEqual({ command: null, pending: null });
    expect(readKey(press("k", { ctrlKey: true }), off).command).toBe("search");
  });

  it("shortcuts of the browser are not intercepted", () => {
    for (const key of ["t", "g", "/", "r"]) expect(readKey(press(key, { ctrlKey: true }), calm).command).toBeNull();
    expect(readKey(press("k", { ctrlKey: true, shiftKey: true }), calm).command).toBeNull();
  });
});
