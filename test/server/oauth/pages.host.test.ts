import { walkDevicePages } from '../../support/host/devicePages.ts';
import { describePages } from '../../support/host/pageChecks.ts';

describePages('device sign-in pages', walkDevicePages, [
  'set-up-locked',
  'set-up',
  'set-up-refused',
  'code',
  'code-unknown',
  'approve',
  'approved',
  'code-used',
  'denied',
  'code-expired',
  'start',
  'not-found',
  'link-spent',
  'locked',
  'start-signed-out',
  'sign-in',
  'sign-in-refused',
]);
