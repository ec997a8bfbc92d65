// Wide: python-gitlab reads pages, keeps records, delivers hooks, uses GraphQL, and is compared with the report of deprecated calls.
import { pythonGitlabSuites } from './pythonGitlabSuites.ts';

for (const declare of pythonGitlabSuites) declare();
