// Wide: Every row of the registry of deprecations is shown in each of its phases.
import { describeRows } from './rows.ts';

describeRows();
