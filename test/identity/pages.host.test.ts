import assert from 'node:assert/strict';
import { type Findings, lookAtPages } from '../support/host/pageChecks.ts';
import { walkSettingsPages } from '../support/host/settingsPages.ts';

const PAGES = 16;

describe('the pages of a person’s settings, in a browser', () => {
  let found: Findings;
  before(async function () {
    this.timeout(120_000);
    found = await lookAtPages(walkSettingsPages);
  });

  it('are all there', () => assert.equal(found.names.length, PAGES, found.names.join(', ')));
  it('have no accessibility violation that axe knows, in light and in dark', () => assert.deepEqual(found.violations, []));
  it('fit a screen of 320 pixels without scrolling sideways', () => assert.deepEqual(found.tooWide, []));
  it('need nothing that their own content security policy refuses, and nothing from another host', () =>
    assert.deepEqual(found.troubles, []));
});
