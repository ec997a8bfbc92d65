import { describeInGerman, germanViews } from '../support/host/germanViews.ts';
import { sampleOf } from '../support/sample.ts';

describeInGerman(sampleOf('views in German', germanViews, 1));
