// Wide: The data is unchanged when a snapshot of any wrong kind is restored.
import { oddSnapshots, testOddSnapshots } from './dataFolder.ts';

describe('data restored from a wrong snapshot', () => testOddSnapshots(oddSnapshots));
