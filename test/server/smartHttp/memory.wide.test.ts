// Wide: 128 MB are pushed and cloned.
import { describeTransfers } from './transferMemory.ts';

describeTransfers({ mebibytes: 128, server: 64, git: 256 });
