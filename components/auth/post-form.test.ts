import { expect, it } from "vitest";
import { pageOf } from "./post-form.ts";

it.each([
  ["/runs/run_1?replay=edit", "/runs/run_1?replay=edit"],
  ["//evil.example/", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example/", "/"],
  ["javascript:alert(1)", "/"],
  ["/sign-in?next=/runs", "/"],
  ["", "/"],
  [null, "/"],
])("after signing in, %s leads to %s", (next, page) => expect(pageOf(next)).toBe(page));
