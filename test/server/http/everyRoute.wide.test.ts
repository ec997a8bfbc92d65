// Wide: Every route of the REST API gets the requests whose responses follow rules for all routes.
import { describeRequests } from './everyRoute.ts';

describeRequests();
