// Wide: Pushes and clones of 50,000 files, and 20 clients that push and clone at once.
import { describeAmounts } from './amounts.ts';

describeAmounts({ filesPerCommit: 10_000, clients: 20 });
