import { describeMovedClients } from './movedClients.ts';

describeMovedClients({ moves: 2 });
