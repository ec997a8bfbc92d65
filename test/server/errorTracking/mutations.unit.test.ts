import { describeMutations } from './mutations.ts';

describeMutations({ cases: 40_000 });
