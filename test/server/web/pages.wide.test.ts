// Wide: Every page of every walk is examined with axe in two themes and at two widths, and with the Tab key.
import { describePages } from '../../support/host/pageChecks.ts';
import { webPages } from '../../support/host/webPages.ts';

for (const pages of webPages) describePages(pages, pages.names);
