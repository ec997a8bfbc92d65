import { describeMutations } from './mutations.ts';

describeMutations({ cases: 200_000 });
