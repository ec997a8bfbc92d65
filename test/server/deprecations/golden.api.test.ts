import { describeReleases } from './golden.ts';

describeReleases({ sample: 40 });
