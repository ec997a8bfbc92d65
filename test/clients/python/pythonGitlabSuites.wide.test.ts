// Wide: Lists, records, hooks, GraphQL and deprecated calls are tested with python-gitlab.
import { pythonGitlabSuites } from './pythonGitlabSuites.ts';

for (const declare of pythonGitlabSuites) declare();
