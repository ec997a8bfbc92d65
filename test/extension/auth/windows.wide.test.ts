// Wide: Four windows with one account refresh its token 200 times.
import { describeWindows } from './windows.ts';

describeWindows(200);
