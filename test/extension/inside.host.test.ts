// All suites (*.suite.ts) inside the extension host of one VS Code.
import type { Suite } from 'mocha';
import { declareSuites } from '../support/host/suites.ts';

describe('in the extension host', function (this: Suite) {
  declareSuites(this);
});
