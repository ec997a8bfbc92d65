import { callSomeRoutes } from '../../support/clientTable.ts';
import { pythonGitlabTable } from './pythonGitlabTable.ts';

pythonGitlabTable('python-gitlab can call some of the routes that it has a method for', callSomeRoutes('python-gitlab'));
