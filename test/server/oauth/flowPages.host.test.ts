import { walkFlowPages } from '../../support/host/flowPages.ts';
import { describePages } from '../../support/host/pageChecks.ts';

describePages('OAuth flow pages', walkFlowPages, [
  'flows-empty',
  'flows',
  'flow-refused',
  'flow-sent',
  'flow-device',
  'flow-gone',
]);
