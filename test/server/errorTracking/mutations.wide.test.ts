// Wide: Requests of SDKs are changed at random in 40,000 ways.
import { describeMutations } from './mutations.ts';

describeMutations({ cases: 40_000 });
