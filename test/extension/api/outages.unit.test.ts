import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createOutages } from '../../../src/api/outages.ts';
import { json, page } from '../../support/extension/fakes.ts';

const ANA = 'https://gitlab.example.com#7';
const BO = 'https://gitlab.example.com#8';

function world() {
  const outages = createOutages();
  let ends = 0;
  outages.onDidEnd(() => (ends += 1));
  return { note: outages.note, ends: () => ends };
}

describe('an outage', () => {
  for (const [what, response] of [
    ['a request without a response', undefined],
    ['a proxy that wants credentials', json(407, {})],
    ['a gateway that waited too long', json(504, {})],
    ['a maintenance page', page(503)],
    ['a captive portal', page(200)],
    ['a page for signing in', page(302, { location: '/login' })],
  ] as const) {
    it(`an outage begins with ${what} and ends once, with the first success of the account`, () => {
      const { note, ends } = world();
      note(ANA, json(200, {}));
      note(ANA, response);
      note(ANA, response);
      note(ANA, json(404, { message: '404 Not Found' }));
      note(BO, json(200, {}));
      assert.equal(ends(), 0);
      note(ANA, json(200, {}));
      note(ANA, json(200, {}));
      assert.equal(ends(), 1);
    });
  }

  it('an outage is none while the instance itself refuses requests', () => {
    const { note, ends } = world();
    for (const status of [400, 401, 403, 404, 429, 500]) note(ANA, json(status, { message: `${status} Refused` }));
    note(ANA, json(200, {}));
    assert.equal(ends(), 0);
  });
});
