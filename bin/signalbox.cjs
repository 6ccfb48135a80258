#!/usr/bin/env node
// Runs on old versions of Node, too: there it only prints how to get a newer one.
"use strict";

const path = require("path");
const fs = require("fs");

const version = process.versions.node.split(".").map(Number);
const isTooOld = version[0] < 22 || (version[0] === 22 && version[1] < 18);

/** As a shell takes it as one word. */
function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

if (isTooOld) {
  process.stderr.write(
    "signalbox needs Node 22.18 or newer. This is " +
      process.versions.node +
      ". Run `npm i -D node@24` in this folder, then `npx " +
      ["signalbox"].concat(process.argv.slice(2).map(quote)).join(" ") +
      "` again.\n",
  );
  process.exitCode = 1;
} else {
  const built = path.join(__dirname, "..", "dist", "cli.js");
  const source = path.join(__dirname, "..", "cli", "main.ts");
  // In the repository the sources run directly, never an old build of them.
  const entry = fs.existsSync(source) ? source : built;
  // Hidden from the parser of versions of Node without import().
  new Function("url", "return import(url)")(require("url").pathToFileURL(entry).href);
}
