// Given to `node --import`: SIGUSR2 blocks the event loop permanently, without using CPU time.
process.on("SIGUSR2", function blockForEver() {
  for (const cell = new Int32Array(new SharedArrayBuffer(4)); ;) Atomics.wait(cell, 0, 0, 20);
});
