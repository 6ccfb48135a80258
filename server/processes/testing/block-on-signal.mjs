// Given to `node --import`: SIGUSR2 blocks the event loop for ever.
process.on("SIGUSR2", function blockForEver() {
  while (true);
});
