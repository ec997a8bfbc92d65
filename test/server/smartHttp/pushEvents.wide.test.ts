// Wide: A thousand refs are pushed at once, each with an event.
import { describePushEvents } from './pushEvents.ts';

describePushEvents({ refs: 1000 });
