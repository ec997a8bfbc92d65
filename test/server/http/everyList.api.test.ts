import { describeEveryList } from './everyList.ts';

describeEveryList({ runs: 3 });
