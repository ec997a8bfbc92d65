import { describeReads } from './readsOfFullDisk.ts';

describeReads({ sample: 20 });
