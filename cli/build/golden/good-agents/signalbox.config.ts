import { defineConfig } from "signalbox/config";

export default defineConfig({ modelPrices: { "some-model": { input: 1, output: 2 } } });
