import { describeWindows } from './windows.ts';

describeWindows(20);
