import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright";
import { onTestFinished } from "vitest";
import { findOrInstallBrowser } from "../../scripts/find-browser.ts";

const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

export interface Visit {
  page: Page;
  /** Errors of the page and of its console, Content-Security-Policy violations among them. */
  errors: string[];
  /** Requests to anywhere but the service. */
  foreignRequests: string[];
}

/** Opens a browser on the service; closed when the test ends. */
export async function visit(origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const browser: Browser = await chromium.launch({ executablePath: findOrInstallBrowser(), args });
  onTestFinished(() => browser.close());
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  const foreignRequests: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("dialog", (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:") && !request.url().startsWith("blob:")) foreignRequests.push(request.url());
  });
  return { page, errors, foreignRequests };
}
