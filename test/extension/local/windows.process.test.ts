import { sampleOf } from '../../support/sample.ts';
import { describeSharedServer } from './sharedServer.ts';

describeSharedServer((all) => sampleOf('windows that share a local server', all, 3));
