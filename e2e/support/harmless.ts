import type { Page } from "playwright";

/** Elements of a page that can only come from a payload that was rendered as markup. Empty on every page. */
export async function findInjected(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.querySelectorAll("*")) {
      const handler = [...element.attributes].find(({ name }) => name.startsWith("on"));
      if (handler) found.push(`${element.tagName} ${handler.name}`);
      for (const name of ["href", "src", "action", "formaction", "xlink:href"]) {
        const value = element.getAttribute(name);
        if (value !== null && /^\s*(javascript|data|vbscript):/i.test(value))
          found.push(`${element.tagName} ${name}=${value.slice(0, 40)}`);
      }
    }
    // Pictures are drawn as SVG here, scripts and styles come from our own files or have the page's nonce.
    for (const element of document.querySelectorAll(
      "img, iframe, object, embed, base, marquee, video, audio, math, template[shadowrootmode]",
    )) {
      if (!element.closest("nextjs-portal, next-route-announcer")) found.push(element.outerHTML.slice(0, 80));
    }
    for (const script of document.querySelectorAll("script")) {
      if (!script.nonce && !script.src.startsWith(location.origin)) found.push(script.outerHTML.slice(0, 80));
    }
    return found;
  });
}
