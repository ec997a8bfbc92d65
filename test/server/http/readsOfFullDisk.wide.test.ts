// Wide: Every reading route and page responds to its example while the disk is full.
import { describeReads } from './readsOfFullDisk.ts';

describeReads();
