import { walkErrorPages } from '../../../support/host/errorPages.ts';
import { describePages } from '../../../support/host/pageChecks.ts';

describePages('error tracking pages', walkErrorPages, [
  'tracked-errors',
  'tracked-error',
  'no-tracked-errors',
  'tracked-errors-administrator',
]);
