/** Checks the links of the built site: every page and every heading that a page links to must exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One line for each broken link. `folder`: the built site, which is served below the path `below`. */
export function findBrokenLinks(folder: string, below = ""): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
  const pages = new Map(files.map((file) => [below + urlOf(file), readPage(join(folder, file))]));
  return [...pages].flatMap(([url, { links }]) =>
    [...links].flatMap((link) => {
      const { pathname, hash, host } = new URL(link, `http://site${url}`);
      if (host !== "site") return [];
      const path = decodeURIComponent(pathname);
      const target = pages.get(path) ?? pages.get(`${path}/`);
      if (!target)
        return path.startsWith(`${below}/`) && existsSync(join(folder, path.slice(below.length)))
          ? []
          : [`${url} links to ${link}, which does not exist`];
      const id = decodeURIComponent(hash.slice(1));
      return id === "" || target.ids.has(id) ? [] : [`${url} links to ${link}, but ${path} has no such heading`];
    }),
  );
}

const urlOf = (file: string): string => `/${file.replace(/(?:^|(?<=\/))index\.html$/, "")}`;

function readPage(file: string): { links: Set<string>; ids: Set<string> } {
  const html = readFileSync(file, "utf8");
  const values = (pattern: RegExp) => new Set([...html.matchAll(pattern)].map(([, value = ""]) => unescape(value)));
  return { links: values(/<(?:a|img)\s[^>]*?(?:href|src)="([^"]*)"/g), ids: values(/\sid="([^"]*)"/g) };
}

const unescape = (html: string): string =>
  html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&#38;", "&").replaceAll("&amp;", "&");
