// Wide: All routes are called with the Go client.
import { callEveryRoute } from '../../support/clientTable.ts';
import { gitlabTable } from './gitlabTable.ts';

gitlabTable('the Go client can call every route that it has a method for', callEveryRoute);
