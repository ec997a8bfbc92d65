// Wide: A push and a clone of 128 MB.
import { describeTransfers } from './transferMemory.ts';

describeTransfers({ mebibytes: 128, server: 64, git: 256 });
