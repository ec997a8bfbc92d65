import { testDeprecations } from './deprecations.ts';
import { testHooks } from './hooks.ts';
import { testGraphql } from './pythonGitlabGraphql.ts';
import { testPages } from './pythonGitlabPages.ts';
import { testRecords } from './pythonGitlabRecords.ts';

/** Declare the tests of python-gitlab beside its working day and its table of routes. */
export const pythonGitlabSuites = [testDeprecations, testGraphql, testHooks, testPages, testRecords];
