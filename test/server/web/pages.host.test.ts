import { describePages } from '../../support/host/pageChecks.ts';
import { webPages } from '../../support/host/webPages.ts';
import { sampleOf } from '../../support/sample.ts';

/** Number of pages of a walk that are examined with axe and the Tab key. */
const EXAMINED = 2;

for (const pages of webPages) describePages(pages, sampleOf(`web pages: ${pages.title}`, pages.names, EXAMINED));
