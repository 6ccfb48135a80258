#!/usr/bin/env node
// `npm create signalbox my-hooks` is `signalbox init my-hooks`, of the version that this package depends on.
"use strict";

const path = require("path");

process.argv.splice(2, 0, "init");
require(path.join(path.dirname(require.resolve("signalbox/package.json")), "bin", "signalbox.cjs"));
