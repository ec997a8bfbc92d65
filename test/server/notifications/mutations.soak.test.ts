import { describeMutations, mutations } from './mutations.ts';

describeMutations(mutations);
