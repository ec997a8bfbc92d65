// Wide: A database is lost in every way.
import { filledFolder, losses, testLosses } from './damage.ts';

describe('a database that is lost', () => testLosses(losses, filledFolder()));
