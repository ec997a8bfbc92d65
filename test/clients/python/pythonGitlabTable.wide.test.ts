// Wide: All routes are called with python-gitlab.
import { callEveryRoute } from '../../support/clientTable.ts';
import { pythonGitlabTable } from './pythonGitlabTable.ts';

pythonGitlabTable('python-gitlab can call every route that it has a method for', callEveryRoute);
