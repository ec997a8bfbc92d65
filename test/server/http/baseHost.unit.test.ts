import assert from 'node:assert/strict';
import { makeDsn } from '../../../src/contract/dsn.ts';
import { baseHost } from '../../../server/support/baseHost.ts';

describe('the host of a base URL', () => {
  const hosts = [
    ['http://127.0.0.1:8080', '127.0.0.1:8080', '127.0.0.1'],
    ['https://git.example', 'git.example', 'git.example'],
    ['https://GIT.example:443/path', 'git.example', 'git.example'],
  ] as const;

  it('it belongs to the URL that is asked for, when URLs alternate', () => {
    for (const [url, host, hostname] of [...hosts, ...hosts])
      assert.deepEqual({ ...baseHost(url), baseUrl: url }, { baseUrl: url, host, hostname });
  });

  it('the DSN of a client key has it, when URLs alternate', () => {
    const dsnOf = (url: string): string => makeDsn(url, 'key', 7);
    for (const _ of [1, 2]) {
      assert.equal(dsnOf('http://127.0.0.1:8080'), 'http://key@127.0.0.1:8080/api/v4/error_tracking/collector/7');
      assert.equal(dsnOf('https://GIT.example:443/path/'), 'https://key@git.example/path/api/v4/error_tracking/collector/7');
    }
  });
});
