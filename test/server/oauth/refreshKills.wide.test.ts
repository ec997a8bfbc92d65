// Wide: A server is killed at every step of a refresh.
import { describe } from 'mocha';
import { points, testRefreshKills } from './refreshKills.ts';

describe('a server killed during a refresh', () => testRefreshKills(points));
