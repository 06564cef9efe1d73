/** Preloaded into a server process: answers every message with the memory of the process after a garbage collection. */
process.on('message', () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed });
});
process.on('disconnect', () => process.exit(1)); // the parent has ended
// This channel must not keep the server running after it has drained.
process.channel?.unref();
