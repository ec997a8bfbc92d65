// Wide: The server is killed at every step of a refresh by the extension.
import { points } from '../../server/oauth/refreshKills.ts';
import { describeExtensionKills } from './refreshKills.ts';

describeExtensionKills(points);
