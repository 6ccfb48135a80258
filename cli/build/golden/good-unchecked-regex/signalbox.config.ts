import { defineConfig } from "signalbox/config";

export default defineConfig({ uncheckedRegexes: [String.raw`/^[\p{L}--[a-z]]+$/v`, "/^(?:[a-z]{1,9} ?){1,9}$/i"] });
