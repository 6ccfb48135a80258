import { expect, it } from "vitest";
import { curlFor } from "./first-steps.tsx";

const trigger = { path: "/triggers/signup", example: { name: "O'Neill" } };

it("the command survives a shell, also with quotes in the body", () => {
  expect(curlFor(trigger, "http://127.0.0.1:3002", false)).toBe(
    String.raw`curl -i http://127.0.0.1:3002/triggers/signup \
  -H 'Content-Type: application/json' \
  -d '{"name":"O'\''Neill"}'`,
  );
});

it("deployed, the command bears the key", () => {
  expect(curlFor(trigger, "https://hooks.example.com", true)).toContain('-H "Authorization: Bearer $SIGNALBOX_KEY"');
});
