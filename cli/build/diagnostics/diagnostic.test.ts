import { describe, expect, test } from "vitest";
import { type Diagnostic, diagnosticsJson, renderDiagnostics } from "./diagnostic.ts";

const diagnostic: Diagnostic = {
  code: "schema_uses_code",
  severity: "error",
  file: "triggers/stripe.ts",
  line: 2,
  column: 3,
  frame: "  1 | a\n> 2 | b c\n    |   ^",
  title: "triggers/stripe.ts › request › amount uses .transform()",
  text: "JSON Schema cannot carry code.",
  fix: "Convert in run().",
};

const location = "  triggers/stripe.ts:2:3\n    1 | a\n  > 2 | b c\n      |   ^\n";

describe("renderDiagnostics", () => {
  test("prints the location, the reason and the fix", () => {
    const text = `${diagnostic.title}\n\n${location}\n  JSON Schema cannot carry code.\n  Convert in run().\n`;
    expect(renderDiagnostics([diagnostic], { color: false })).toBe(text);
    expect(renderDiagnostics([diagnostic, diagnostic], { color: false })).toBe(`${text}\n${text}`);
  });

  test("prints the same text with and without colours", () => {
    const coloured = renderDiagnostics([diagnostic, { ...diagnostic, severity: "warning" }], { color: true });
    // oxlint-disable-next-line no-control-regex -- the escape that starts a colour
    expect(coloured.replaceAll(/\u001b\[[\d;]*m/g, "")).toBe(
      renderDiagnostics([diagnostic, { ...diagnostic, severity: "warning" }], { color: false }),
    );
    expect(coloured).not.toBe(
      renderDiagnostics([diagnostic, { ...diagnostic, severity: "warning" }], { color: false }),
    );
  });

  test("is empty without diagnostics", () => {
    expect(renderDiagnostics([], { color: true })).toBe("");
    expect(diagnosticsJson([])).toEqual({ diagnostics: [], warnings: [] });
  });
});
