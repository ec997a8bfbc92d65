// Wide: Every view that has a check in German is shown.
import { describeInGerman, germanViews } from '../support/host/germanViews.ts';

describeInGerman(germanViews);
