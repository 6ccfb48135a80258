import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../testing/make-project.ts";
import { bundleCode } from "./bundle.ts";

const trigger = (event: string) => `import { github } from "signalbox/sources/github";
import note from "../workflows/note";

export default github
  .on(${event}, { slug: "pushed", endpoint: "github", pick: ["repository.full_name"] })
  .attach({ workflow: note });
`;
const workflow = `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({ slug: "note", input: z.unknown(), run: () => null });
`;

async function bundledEvents(event: string): Promise<{ events: string[]; bytes: number }> {
  const projectDir = makeProject({ "triggers/pushed.ts": trigger(event), "workflows/note.ts": workflow });
  const bundle = await bundleCode({ projectDir, outDir: join(projectDir, "out"), files: ["triggers/pushed.ts"] });
  if (!bundle.ok) throw new Error(bundle.errors[0]?.text);
  const code = bundle.files
    .filter(({ path }) => path.endsWith(".mjs"))
    .map(({ contents }) => Buffer.from(contents).toString())
    .join("\n");
  const list = /var events = \{([^}]*)\}/.exec(code)?.[1] ?? "";
  return { events: [...list.matchAll(/"?([a-z_.]+)"?: \d+/g)].map(([, name = ""]) => name), bytes: code.length };
}

it("a build has only the events of GitHub that the project names", async () => {
  const { events, bytes } = await bundledEvents('"push"');
  expect(events).toEqual(["push"]);
  expect(bytes).toBeLessThan(80_000);
});

it("a build has all events of GitHub if the project names one by an expression", async () => {
  const { events } = await bundledEvents('"pu" + "sh" as "push"');
  expect(events).toContain("issues.opened");
  expect(events.length).toBeGreaterThan(200);
});
