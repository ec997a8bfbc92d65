import { sampleOf } from '../../support/sample.ts';
import { pythonGitlabSuites } from './pythonGitlabSuites.ts';

for (const declare of sampleOf('suites of python-gitlab', pythonGitlabSuites, 2)) declare();
