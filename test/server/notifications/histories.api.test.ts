import { describeHistories } from './histories.ts';

describeHistories({ runs: 4, seed: 7 });
