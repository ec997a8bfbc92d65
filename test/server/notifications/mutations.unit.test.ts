import { describeMutations, mutations } from './mutations.ts';

// Every tenth; `npm run soak` tries all.
describeMutations(mutations.filter((_, index) => index % 10 === 0));
