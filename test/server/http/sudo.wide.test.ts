// Wide: Every route of the REST API is requested with sudo, with and without the right to it.
import { describeSudo } from './sudo.ts';

describeSudo();
