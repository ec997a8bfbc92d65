// Wide: Hundreds of random GraphQL documents and bodies are sent.
import { describeHostileDocuments } from './hostileDocuments.ts';

describeHostileDocuments({ runs: 500 });
