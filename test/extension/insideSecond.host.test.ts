// The other half of the suites (*.suite.ts), so that two VS Codes run them side by side.
import type { Suite } from 'mocha';
import { declareSuites } from '../support/host/suites.ts';

describe('in the extension host', function (this: Suite) {
  declareSuites(this, 'second');
});
