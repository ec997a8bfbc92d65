import { walkFlowPages } from '../support/host/flowPages.ts';
import { describePages } from '../support/host/pageChecks.ts';

describePages('the pages of what OAuth clients did', walkFlowPages, [
  'flows-empty',
  'flows',
  'flow-refused',
  'flow-sent',
  'flow-device',
  'flow-gone',
]);
