import axe from "axe-core";
import type { Page } from "playwright";

/**
 * Serious and critical accessibility violations of a page, with the elements they concern. Default: every rule that axe
 * enables, and `label-content-name-mismatch`, so that a visible label is also the spoken name. Runs inside the page:
 * axe's own driver opens a second page for each analysis, which takes ten times the CPU.
 */
export async function findViolations(page: Page, rules?: string[]): Promise<{ id: string; elements: string[] }[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    rules: { "label-content-name-mismatch": { enabled: true } },
    resultTypes: ["violations"],
    ...(rules ? { runOnly: { type: "rule", values: rules } } : {}),
  };
  return page.evaluate(async (run) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, run);
    const severe = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    return severe.map(({ id, nodes }) => ({ id, elements: nodes.map(({ html }) => html.slice(0, 160)) }));
  }, options);
}
