// Wide: A server is killed at every step of a push.
import { describePushKills, pushPoints } from './pushKills.ts';

describePushKills(pushPoints);
