import { startTestServer } from '../../support/server.ts';
import { sendPlantedSecrets } from './plantedSecrets.ts';

describe('secrets in requests', () => {
  it('secrets in requests appear neither in the log nor in the request log, whatever their format and location', async () => {
    const log: string[] = [];
    await using server = await startTestServer({ log: (line) => log.push(line) });
    await sendPlantedSecrets(server, log, 1);
  });
});
