// Wide: shows every view in German that has a check, where `npm test` shows one.
import { describeInGerman, germanViews } from '../support/host/germanViews.ts';

describeInGerman(germanViews);
