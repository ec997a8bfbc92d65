import { callSomeRoutes } from '../../support/clientTable.ts';
import { gitbeakerTable } from './gitbeakerTable.ts';

gitbeakerTable('@gitbeaker/rest can call some of the routes that it has a method for', callSomeRoutes('@gitbeaker/rest'));
