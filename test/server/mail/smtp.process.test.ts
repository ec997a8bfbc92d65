import assert from 'node:assert/strict';
import { sampleOf } from '../../support/sample.ts';
import { requestOf, spawnServer } from '../../support/serverProcess.ts';
import { startMailServer } from '../../support/smtp.ts';
import { authenticated, mailKills, PASSWORD, testMailKills, token } from './smtpKills.ts';

describe('a server with an SMTP server of its options', () => {
  testMailKills(sampleOf('moments while a server mails', mailKills, 2));

  it('reads the password from the handshake as well', async () => {
    await using mails = await startMailServer(authenticated);
    await using server = await spawnServer(
      ['serve', '--memory', '--stdin-handshake', '--smtp-url', `smtp://lab@127.0.0.1:${mails.port}`],
      { handshake: JSON.stringify({ adminToken: token, smtpPassword: PASSWORD }) },
    );
    // The mail with the link that confirms the address.
    await requestOf(server, token, 'POST', '/api/v4/user/emails', { email: 'second@kiln.example' });
    await mails.received(1);
    assert.deepEqual(mails.messages[0]?.to, ['second@kiln.example']);
    assert.doesNotMatch(server.stderr() + server.stdout(), new RegExp(PASSWORD));
  });
});
