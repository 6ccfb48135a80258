import { rmSync, readdirSync, utimesSync } from "node:fs";
const { bundleProcesses } = await import("/work/wt/receiver/scripts/bundle.ts");
rmSync("dist/chunks", { recursive: true, force: true });
const meta = await bundleProcesses({ outdir: "dist" });
const out = meta.outputs["dist/receiver.js"];
const seen = new Set(["dist/receiver.js"]);
for (const f of seen) for (const i of meta.outputs[f].imports) if (!i.external && i.kind === "import-statement") seen.add(i.path);
const inputs = new Map();
for (const f of seen) for (const [k, v] of Object.entries(meta.outputs[f].inputs)) inputs.set(k, (inputs.get(k) ?? 0) + v.bytesInOutput);
const groups = new Map();
let total = 0;
for (const [k, v] of inputs) { total += v; const g = k.startsWith("node_modules/") ? k.split("/").slice(0, k.startsWith("node_modules/@") ? 3 : 2).join("/") : k.split("/").slice(0, 3).join("/"); groups.set(g, (groups.get(g) ?? 0) + v); }
console.log("static bytes of receiver", total, [...seen].length, "files");
for (const [g, v] of [...groups].sort((a, b) => b[1] - a[1]).slice(0, 40)) console.log(v, g);
utimesSync("dist/THIRD-PARTY-LICENSES.txt", new Date(), new Date());
