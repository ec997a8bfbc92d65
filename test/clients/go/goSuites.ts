import { testPages } from './gitlabPages.ts';
import { testMergeRequest } from './mergeRequest.ts';
import { testOauth2 } from './oauth2.ts';

/** Declare the tests of Go clients beside the table of routes. */
export const goSuites = [testMergeRequest, testOauth2, testPages];
