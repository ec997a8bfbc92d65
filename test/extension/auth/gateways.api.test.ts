import { sampleOf } from '../../support/sample.ts';
import { describeGateways, pairs } from './gateways.ts';

describeGateways(sampleOf('gateways', pairs, 12));
