import { defineConfig } from "signalbox/config";

export default defineConfig({ modelPrices: { "some-modle": { input: 1, output: 2 } } });
