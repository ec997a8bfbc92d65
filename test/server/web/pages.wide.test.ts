// Wide: examines every page of every walk with axe, in both themes and two widths, and with the Tab key.
import { describePages } from '../../support/host/pageChecks.ts';
import { webPages } from '../../support/host/webPages.ts';

for (const pages of webPages) describePages(pages, pages.names);
