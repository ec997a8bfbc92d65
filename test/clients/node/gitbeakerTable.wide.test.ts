// Wide: All routes are called with @gitbeaker/rest.
import { callEveryRoute } from '../../support/clientTable.ts';
import { gitbeakerTable } from './gitbeakerTable.ts';

gitbeakerTable('@gitbeaker/rest can call every route that it has a method for', callEveryRoute);
