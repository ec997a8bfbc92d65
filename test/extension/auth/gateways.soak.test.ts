import { describeGateways, pairs } from './gateways.ts';

describeGateways(pairs);
