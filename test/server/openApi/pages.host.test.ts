import { walkApiPages } from '../../support/host/apiPages.ts';
import { describePages } from '../../support/host/pageChecks.ts';

describePages('pages of the API reference', walkApiPages, [
  'endpoint-search',
  'endpoint-read',
  'endpoint-response',
  'endpoint-change',
  'endpoint-errors',
  'endpoint-changed',
]);
