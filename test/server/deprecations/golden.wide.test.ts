// Wide: Every read is compared in ten releases.
import { describeReleases } from './golden.ts';

describeReleases();
