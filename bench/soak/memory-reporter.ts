/** Loaded into a demo process in front of it: answers every message with what the process holds after a collection. */
process.on('message', () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed });
});
process.on('disconnect', () => process.exit(1)); // Whoever started it is gone.
// The demo has to end by itself once it has drained, whoever still listens.
process.channel?.unref();
