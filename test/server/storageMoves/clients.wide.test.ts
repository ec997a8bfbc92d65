// Wide: A repository is cloned again and again while it is moved ten times.
import { describeMovedClients } from './movedClients.ts';

describeMovedClients({ moves: 10 });
