// Wide: python-gitlab calls every route that it has a method for.
import { callEveryRoute } from '../../support/clientTable.ts';
import { pythonGitlabTable } from './pythonGitlabTable.ts';

pythonGitlabTable('python-gitlab can call every route that it has a method for', callEveryRoute);
