import { callSomeRoutes } from '../../support/clientTable.ts';
import { gitlabTable } from './gitlabTable.ts';

gitlabTable('the Go client can call some of the routes that it has a method for', callSomeRoutes('the Go client'));
