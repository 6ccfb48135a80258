import type { Page } from "playwright";

/** Signs in on the sign-in page, with an API token. */
export async function signInWithToken(page: Page, secret: string): Promise<void> {
  const field = page.getByLabel("API token");
  const toggle = page.getByText("Use an API token instead");
  await toggle.waitFor();
  if (!(await field.isVisible())) await toggle.click();
  await field.fill(secret);
  await page.getByRole("button", { name: "Sign in with the token" }).click();
}
