import { isSecretParameter, maskQuery, maskTokens, withoutSecretParameters } from '../../core/masking.ts';
import type { RecordedRead } from '../../http/httpParts.ts';

/** The latest different reads, held in memory. */
export interface RecordedReads {
  /**
   * Records a read without its secret parameters, unless another part of it looks like a secret. `maskedQuery` is the query as the request
   * log has it.
   */
  add(read: RecordedRead, maskedQuery: string): void;
  /** Returns the reads of a user, or of everyone with undefined; the latest first. */
  list(userId: number | undefined): readonly RecordedRead[];
}

/** Number of different reads that are held. */
const MAX_READS = 200;
/** Maximum length of a GraphQL query with its variables, in UTF-16 code units. */
const MAX_BODY = 16_384;

export function createRecordedReads(): RecordedReads {
  const reads = new Map<string, RecordedRead>();
  return {
    add: (sent, maskedQuery) => {
      const read = withoutSecrets(sent, maskedQuery);
      if (read === undefined) return;
      const key = JSON.stringify([read.userId, read.path, read.query, read.body]);
      reads.delete(key);
      reads.set(key, read);
      if (reads.size <= MAX_READS) return;
      const [oldest] = reads.keys();
      if (oldest !== undefined) reads.delete(oldest);
    },
    list: (userId) => [...reads.values()].filter((read) => userId === undefined || read.userId === userId).toReversed(),
  };
}

/** Returns a read without secret parameters, or undefined if another part of it looks like a secret. */
function withoutSecrets(read: RecordedRead, maskedQuery: string): RecordedRead | undefined {
  const isPublic = read.query === maskedQuery && !/(?:^|&)sudo=/.test(read.query);
  const query = isPublic ? read.query : publicQuery(read.query);
  const body = read.body === undefined ? undefined : publicBody(read.body);
  if (query === undefined || (read.body !== undefined && body === undefined)) return undefined;
  return maskTokens(read.path) === read.path ? { ...read, query, body } : undefined;
}

function publicQuery(query: string): string | undefined {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => !isSecretParameter(name) && name !== 'sudo');
  const cleaned = new URLSearchParams(pairs).toString();
  return maskQuery(cleaned) === cleaned ? cleaned : undefined;
}

function publicBody(body: string): string | undefined {
  if (body.length > MAX_BODY) return undefined;
  const sent: unknown = JSON.parse(body);
  if (typeof sent !== 'object' || sent === null) return undefined;
  const cleaned = JSON.stringify(withoutSecretParameters({ ...sent }));
  return maskTokens(cleaned) === cleaned ? cleaned : undefined;
}
