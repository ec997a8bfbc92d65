// Wide: 50,000 files are pushed and cloned, and 20 clients push and clone at once.
import { describeAmounts } from './amounts.ts';

describeAmounts({ filesPerCommit: 10_000, clients: 20 });
