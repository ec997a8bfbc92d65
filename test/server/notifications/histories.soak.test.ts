import { describeHistories } from './histories.ts';

describeHistories({ runs: 400 });
