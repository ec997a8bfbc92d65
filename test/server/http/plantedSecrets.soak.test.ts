import { startTestServer } from '../../support/server.ts';
import { plantedRequests, sendPlantedSecrets } from './plantedSecrets.ts';

const REQUESTS = 6_000;

describe('many secrets in requests', () => {
  it(`secrets in ${REQUESTS} requests appear neither in the log nor in the request log`, async () => {
    const log: string[] = [];
    for (let seed = 1; seed * plantedRequests.length < REQUESTS + plantedRequests.length; seed += 1) {
      await using server = await startTestServer({ log: (line) => log.push(line) });
      await sendPlantedSecrets(server, log, seed);
    }
  });
});
