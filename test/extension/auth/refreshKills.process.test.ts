import { samplePoints } from '../../server/oauth/refreshKills.ts';
import { describeExtensionKills } from './refreshKills.ts';

describeExtensionKills(samplePoints('steps of a refresh by the extension'));
