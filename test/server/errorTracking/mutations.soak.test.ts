import { describeMutations } from './mutations.ts';

describeMutations({ cases: 10_000_000 });
