// Wide: A server is killed at every step of a move of a repository.
import { describeMoveKills, movePoints } from './moveKills.ts';

describeMoveKills(movePoints);
