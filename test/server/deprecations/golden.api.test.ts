import { describeReleases } from './golden.ts';

describeReleases({ sample: 30 });
