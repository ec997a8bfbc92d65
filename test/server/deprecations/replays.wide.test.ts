// Wide: The example of every read is replayed.
import { describeReplays } from './replays.ts';

describeReplays();
