import { defineConfig } from "signalbox/config";

export default defineConfig({ prot: 4000 });
