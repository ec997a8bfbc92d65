// Sends a GET to each URL of its arguments with the extension's transport, and prints the status or the reason why there is none.
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createTransport } from '../../../src/api/transport.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';

const send = createTransport({
  userAgent: 'test',
  timeout: 10_000,
  loadLoopback: async () => createLoopbackSend(),
  sendByHost: sendByFetch,
});
for (const url of process.argv.slice(2)) {
  try {
    console.log((await send({ method: 'GET', url, headers: {} })).status);
  } catch (error) {
    console.log(String(error));
  }
}
