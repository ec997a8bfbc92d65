import { describeAmounts } from './amounts.ts';

describeAmounts({ filesPerCommit: 400, clients: 6 });
