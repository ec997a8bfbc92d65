// Loaded into a server before its own program, by tests only: SIGUSR2 throws an uncaught error, and SIGWINCH rejects an unhandled promise.
process.on('SIGUSR2', () => {
  throw new Error('thrown where nobody catches it');
});
process.on('SIGWINCH', () => {
  void Promise.reject(new Error('rejected where nobody waits for it'));
});
