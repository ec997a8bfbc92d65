import assert from 'node:assert/strict';
import { firstLines, parameterise } from '../../../../server/features/errorTracking/grouping/parameteriseMessage.ts';

// Values in messages that do not affect grouping, and texts that make regular expressions slow (docs/interface.md#grouping).

describe('texts without variable parts', () => {
  for (const [sent, expected] of [
    ['user 17 missing', 'user <int> missing'],
    ['order_991 in worker-3', 'order_<int> in worker-<int>'],
    ['job 7f3a0c1e-1111-4222-8333-944445555666 failed at 2026-01-02T03:04:05Z', 'job <uuid> failed at <date>'],
    ['GET https://example.com/c?d=1 failed', 'GET <url> failed'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <ip>'],
    ['from fe80::1 and ::1 in Foo::bar and a::b', 'from <ip> and <ip> in Foo::bar and a::b'],
    ['getaddrinfo ENOTFOUND db-3.prod.internal:5432', 'getaddrinfo ENOTFOUND <host>'],
    ['localhost:8080 refused', '<host> refused'],
    ['to a.b+c@example.com', 'to <email>'],
    ['commit 3f2a9c1 is bad, deadbeef is not', 'commit <hash> is bad, deadbeef is not'],
    ['at 0x7f00DEADbeef', 'at <hex>'],
    ['cus_AbC123def456GHI789xyz', 'cus_<id>'],
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '<trace>'],
    ['took 12.5ms, 3 s and 1.5 of it', 'took <duration>, <duration> and <float> of it'],
    ['between -5 and 3-5', 'between <int> and <int>-<int>'],
    ['at 03:04:05 on Jan 2, 2026', 'at <time> on <date>'],
    ['2026-01-02 03:04:05.678 +02:00 up', '<date> up'],
    ['Fri, 02 Jan 2026 03:04:05 GMT up', '<date> up'],
    ['Jan  2 03:04:05 up', '<date> up'],
    ['01/02/2026 3:04 PM up', '<date> up'],
    [`name='Ann Lee' note="x" ok=true`, 'name=<quoted> note=<quoted> ok=<bool>'],
    ['sha256 utf8 HTTP2 v2', 'sha256 utf8 HTTP2 v2'],
    ['truth of true', 'truth of true'],
    ['\n \na 1\r\n\r\n b\nc', 'a <int>\nb'],
    ['a\0b', 'ab'],
    ['', ''],
  ] as const) {
    it(`${JSON.stringify(sent)} → ${JSON.stringify(expected)}`, () => {
      assert.equal(parameterise(sent), expected);
    });
  }

  it('only 2,000 characters of two lines are used', () => {
    for (const piece of [
      '1',
      'a',
      'a.',
      '1.',
      ':',
      'a@',
      '0x',
      "='",
      '1a',
      '-',
      ' 1',
      'http://',
      'Mon, ',
      '1:',
      '\t',
      'é',
      '\ud800',
    ]) {
      const sent = piece.repeat(50_000);
      assert.equal(parameterise(`${sent}\n${sent}`), parameterise(sent.slice(0, 16_384)), piece);
      assert.ok(parameterise(sent).length <= 2_000 * 6, piece);
    }
    const long = `${'word '.repeat(400)}end\nnext`;
    assert.equal(parameterise(long), `${'word '.repeat(400)}\nnext`);
  });

  it('blank lines are skipped', () => {
    assert.deepEqual(firstLines('\r\n a \n\n\tb\n c', 2), ['a', 'b']);
    assert.deepEqual(firstLines(' ', 2), []);
  });
});
