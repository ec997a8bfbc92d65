import { describeTransfers } from './transferMemory.ts';

describeTransfers({ mebibytes: 48, server: 32, git: 128 });
