import assert from 'node:assert/strict';
import { walkFlowPages } from '../support/host/flowPages.ts';
import { type Findings, lookAtPages } from '../support/host/pageChecks.ts';

describe('the pages of what OAuth clients did, in a browser', () => {
  let found: Findings;
  before(async function () {
    this.timeout(120_000);
    found = await lookAtPages(walkFlowPages);
  });

  it('show that there is nothing, a list, and flows with and without refusals', () =>
    assert.deepEqual(found.names, ['flows-empty', 'flows', 'flow-refused', 'flow-sent', 'flow-device', 'flow-gone']));
  it('have no accessibility violation that axe knows, in light and in dark', () => assert.deepEqual(found.violations, []));
  it('fit a screen of 320 pixels without scrolling sideways', () => assert.deepEqual(found.tooWide, []));
  it('need nothing from elsewhere and nothing that their own content security policy refuses', () =>
    assert.deepEqual(found.troubles, []));
});
