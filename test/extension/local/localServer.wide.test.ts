// Wide: The supervisor starts, restarts, resets, attaches and stops a real server.
import { describeRealServer } from './realServer.ts';

describeRealServer((all) => all);
