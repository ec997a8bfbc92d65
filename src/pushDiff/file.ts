import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';
import { formatBytes } from '../support/bytes.ts';

/** Version of a file in the repository of a project. */
export interface FileVersion {
  readonly project: number;
  /** SHA of a commit. */
  readonly commit: string;
  readonly path: string;
}

/** Maximum size in bytes of a file that is shown. VS Code compares larger ones only in part. */
const MAX_SIZE = 2 * 1024 * 1024;

/** Number of bytes in which a NUL makes a file binary, as in git. */
const BINARY_PROBE = 8_000;

/** Returns the content of a file as text, or one line about a file that has none, such as a binary file. Rejects with an `ApiFailure`. */
export async function loadFile(client: Client, { project, commit, path }: FileVersion, locale: string): Promise<string> {
  try {
    const address = apiPath`/projects/${project}/repository/files/${path}`;
    const { size, id, content } = await client.get(address, readFile, { ref: commit });
    if (size > MAX_SIZE) return l10n.t('Large file: {0}, blob {1}', formatBytes(size, locale), id.slice(0, 8));
    const bytes = Buffer.from(content, 'base64');
    if (bytes.subarray(0, BINARY_PROBE).includes(0))
      return l10n.t('Binary file: {0}, blob {1}', formatBytes(size, locale), id.slice(0, 8));
    return bytes.toString('utf8');
  } catch (error) {
    const failure = failureOfError(error);
    if (failure?.kind === 'notFound') return l10n.t('No file at commit {0}. It may be a submodule.', commit.slice(0, 8));
    throw error;
  }
}

function readFile(value: unknown): { readonly size: number; readonly id: string; readonly content: string } | undefined {
  if (!isJsonObject(value)) return undefined;
  const content = stringMember(value, 'content');
  const size = integerMember(value, 'size');
  if (content === undefined || size === undefined) return undefined;
  return { size, id: stringMember(value, 'blob_id') ?? '', content };
}

/** Returns the parameters of the document that shows a version of a file. */
export function fileParameters({ project, commit, path }: FileVersion): Readonly<Record<string, string>> {
  return { project: String(project), commit, path };
}

export function readFileParameters(parameters: URLSearchParams): FileVersion | undefined {
  const [project, commit, path] = ['project', 'commit', 'path'].map((name) => parameters.get(name) ?? '');
  if (project === undefined || !/^\d{1,15}$/.test(project) || !commit || !path) return undefined;
  return { project: Number(project), commit, path };
}
