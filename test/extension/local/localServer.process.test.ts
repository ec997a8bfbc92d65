import { sampleOf } from '../../support/sample.ts';
import { describeRealServer } from './realServer.ts';

describeRealServer((all) => sampleOf('the supervisor with a real server', all, 3));
