import { walkAuthorizePages } from '../../support/host/authorizePages.ts';
import { describePages } from '../../support/host/pageChecks.ts';

describePages(
  'authorization pages',
  walkAuthorizePages,
  ['consent', 'consent-warned', 'code-to-copy', 'refused', 'form-post'],
  /^requested http:\/\/127\.0\.0\.1:\d+\/(?:callback|favicon)/,
);
