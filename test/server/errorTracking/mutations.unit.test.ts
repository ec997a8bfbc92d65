import { describeMutations } from './mutations.ts';

describeMutations({ cases: 3000 });
