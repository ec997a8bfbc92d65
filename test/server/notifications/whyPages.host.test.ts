import { describePages } from '../../support/host/pageChecks.ts';
import { walkWhyPages } from '../../support/host/whyPages.ts';

describePages('pages that explain who is mailed', walkWhyPages, [
  'why-form',
  'why-refused',
  'why-possible',
  'why-happened',
  'why-one',
]);
