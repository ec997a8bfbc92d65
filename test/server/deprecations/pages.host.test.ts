import { describePages } from '../../support/host/pageChecks.ts';
import { walkDeprecationPages } from '../../support/host/deprecationPages.ts';

describePages('pages of deprecations', walkDeprecationPages, [
  'deprecations-empty',
  'deprecations',
  'deprecations-found',
  'replayed-reads',
  'public-subscription-endpoints',
  'take-ownership-permission',
]);
