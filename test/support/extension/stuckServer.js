// The built server, which hangs after it has reported loading the demo data.
const write = process.stderr.write.bind(process.stderr);
process.stderr.write = (text, ...more) => {
  const isWritten = write(text, ...more);
  if (String(text).includes('Loading demo data')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return isWritten;
};
await import('../../../dist/server.js');
