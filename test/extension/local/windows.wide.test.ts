// Wide: Windows that share a local server start, kill, reload, reset and stop it in every way.
import { describeSharedServer } from './sharedServer.ts';

describeSharedServer((all) => all);
