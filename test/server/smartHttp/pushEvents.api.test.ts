import { describePushEvents } from './pushEvents.ts';

describePushEvents({ refs: 40 });
