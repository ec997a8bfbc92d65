// Wide: Go clients sign in, read pages, and create and check out merge requests.
import { goSuites } from './goSuites.ts';
import { testGlab } from './mergeRequest.ts';

for (const declare of [...goSuites, testGlab]) declare();
