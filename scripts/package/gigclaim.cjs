#!/usr/bin/env node
// biome-ignore-all lint: an older Node must be able to read this file, so that it can say what is wrong.
'use strict';

var words = 'gigclaim needs Node 24 or newer, and this is ' + process.version;
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(words + ': install it from nodejs.org.\n');
  process.exit(1);
}
require('./run.mjs');
