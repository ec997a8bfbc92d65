import { walkAuthorizePages } from '../support/host/authorizePages.ts';
import { describePages } from '../support/host/pageChecks.ts';

describePages(
  'the pages of the authorization endpoint',
  walkAuthorizePages,
  ['consent', 'consent-warned', 'code-to-copy', 'refused', 'form-post'],
  /^asked for http:\/\/127\.0\.0\.1:\d+\/(?:callback|favicon)/,
);
