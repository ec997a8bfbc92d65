import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

/** An uploaded file without its content. */
export interface UploadRow {
  readonly id: number;
  readonly project_id: number;
  /** 32 hexadecimal digits of its address. */
  readonly secret: string;
  readonly filename: string;
  readonly size: number;
  readonly uploader_id: number | null;
  readonly created_at: number;
}

const COLUMNS = 'id, project_id, secret, filename, size, uploader_id, created_at';

export function insertUpload(store: Store, row: Omit<UploadRow, 'id'>, content: Uint8Array): number {
  const { lastId: id } = store.run(
    `INSERT INTO uploads (project_id, secret, filename, size, uploader_id, created_at)
     VALUES ($project_id, $secret, $filename, $size, $uploader_id, $created_at)`,
    { ...row },
  );
  store.run('INSERT INTO upload_contents (upload_id, content) VALUES ($id, $content)', { id, content });
  return id;
}

export function uploadById(store: Store, projectId: number, id: number): UploadRow | undefined {
  return store.get<UploadRow>(`SELECT ${COLUMNS} FROM uploads WHERE id = $id AND project_id = $projectId`, { id, projectId });
}

export function uploadBySecret(store: Store, projectId: number, secret: string, filename: string): UploadRow | undefined {
  return store.get<UploadRow>(
    `SELECT ${COLUMNS} FROM uploads WHERE project_id = $projectId AND secret = $secret AND filename = $filename`,
    { projectId, secret, filename },
  );
}

export function contentOf(store: Store, id: number): Buffer | undefined {
  return store.get<{ readonly content: Buffer }>('SELECT content FROM upload_contents WHERE upload_id = $id', { id })?.content;
}

export function countUploads(store: Store, projectId: number, cap: number): number {
  return countRows(store, 'FROM uploads WHERE project_id = $projectId', { projectId }, cap);
}

/** Returns a page of the uploads of a project, newest first. */
export function listUploads(store: Store, projectId: number, limit: number, offset: number): UploadRow[] {
  return store.all<UploadRow>(
    `SELECT ${COLUMNS} FROM uploads WHERE project_id = $projectId ORDER BY created_at DESC, id DESC LIMIT $limit OFFSET $offset`,
    { projectId, limit, offset },
  );
}

export function deleteUploadRow(store: Store, id: number): void {
  store.run('DELETE FROM uploads WHERE id = $id', { id });
}
