// Suites (*.suite.ts) inside the extension host of one VS Code: half of them, or those that are named.
import type { Suite } from 'mocha';
import { declareSuites } from '../support/host/suites.ts';

describe('in the extension host', function (this: Suite) {
  declareSuites(this, 'first');
});
