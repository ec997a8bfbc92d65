// Wide: Every name that a shell, git or a file system could misinterpret is sent at every place.
import { describeHostileNames } from './hostile.ts';

describeHostileNames();
