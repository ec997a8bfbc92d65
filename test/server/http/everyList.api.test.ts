import { describeEveryList } from './everyList.ts';

describeEveryList({ runs: 2, share: 0.15 });
