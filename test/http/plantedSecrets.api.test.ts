import { startTestServer } from '../support/server.ts';
import { sendPlantedSecrets } from './plantedSecrets.ts';

describe('secrets in requests', () => {
  it('are in no log and no request log, whatever their form and place', async () => {
    const log: string[] = [];
    await using server = await startTestServer({ log: (line) => log.push(line) });
    await sendPlantedSecrets(server, log, 1);
  });
});
