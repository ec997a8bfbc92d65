import { describeAddresses } from './addresses.ts';

describeAddresses({ sample: 60 });
