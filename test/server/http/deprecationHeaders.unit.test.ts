import assert from 'node:assert/strict';
import type { DeprecationId } from '../../../src/contract/deprecations.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { deprecationHeaders } from '../../../server/http/deprecationHeaders.ts';

const headersOf = (release: Release, ...ids: readonly DeprecationId[]) =>
  deprecationHeaders(new Set(ids), { release }, 'http://signalbox.example');

const linkTo = (id: DeprecationId): string =>
  `<http://signalbox.example/help/deprecations/${id}>; rel="deprecation"; type="text/html"`;

const midnight = (date: string): string => `@${Date.parse(`${date}T00:00:00Z`) / 1000}`;

describe('headers of deprecated calls', () => {
  it('name the page, and the days of the announcement (RFC 9745) and of the removal (RFC 8594)', () => {
    assert.deepEqual(headersOf('18.11', 'password-grant'), {
      Link: linkTo('password-grant'),
      Deprecation: midnight('2025-05-15'),
      Sunset: 'Thu, 21 May 2026 00:00:00 GMT',
    });
  });

  it('are absent before the announcement, and stay after the removal', () => {
    assert.deepEqual(headersOf('17.11', 'password-grant'), {});
    assert.deepEqual(headersOf('20.0', 'password-grant'), headersOf('18.0', 'password-grant'));
  });

  it('have no Sunset if the removal is no longer planned', () => {
    assert.deepEqual(headersOf('18.11', 'pre-receive-secret-detection'), {
      Link: linkTo('pre-receive-secret-detection'),
      Deprecation: midnight('2025-02-20'),
    });
  });

  it('name each page, the first announcement and the first removal of several deprecations', () => {
    const ids = ['runner-registration', 'password-grant', 'set-pre-receive-secret-detection'] as const;
    assert.deepEqual(headersOf('18.11', ...ids), {
      Link: ids.map(linkTo).join(', '),
      // Releases up to 16.5 were on the 22nd of the month.
      Deprecation: midnight('2022-11-22'),
      Sunset: 'Thu, 21 May 2026 00:00:00 GMT',
    });
  });
});
