import assert from 'node:assert/strict';
import { walkAuthorizePages } from '../support/host/authorizePages.ts';
import { type Findings, lookAtPages } from '../support/host/pageChecks.ts';

describe('the pages of the authorization endpoint, in a browser', () => {
  let found: Findings;
  before(async function () {
    this.timeout(120_000);
    found = await lookAtPages(walkAuthorizePages);
  });

  it('lead to the application by address, by form and by themselves', () =>
    assert.deepEqual(found.names, ['consent', 'consent-warned', 'refused', 'form-post']));
  it('have no accessibility violation that axe knows, in light and in dark', () => assert.deepEqual(found.violations, []));
  it('fit a screen of 320 pixels without scrolling sideways', () => assert.deepEqual(found.tooWide, []));
  it('need nothing that their own content security policy refuses, and nothing from a host but the application’s', () =>
    assert.deepEqual(
      found.troubles.filter((words) => !/^asked for http:\/\/127\.0\.0\.1:\d+\/(?:callback|favicon)/.test(words)),
      [],
    ));
});
