// Wide: Every list is walked page by page in several orders and with several page sizes.
import { describeEveryList } from './everyList.ts';

describeEveryList({ runs: 3 });
