import * as vscode from 'vscode';

/** The members of the API of VS Code's Git extension (version 1) that are used here. */
interface GitExports {
  readonly enabled: boolean;
  getAPI(version: 1): {
    getRepository(uri: vscode.Uri): {
      /** Rejects if the tree, or for an empty name the index, does not have the file. */
      getObjectDetails(tree: string, path: string): Promise<unknown>;
    } | null;
  };
}

/** Returns true if git tracks a file, as the Git extension says. False if it is not active: it is not activated for this. */
export async function isTrackedByGit(file: vscode.Uri): Promise<boolean> {
  const extension = vscode.extensions.getExtension<GitExports>('vscode.git');
  if (file.scheme !== 'file' || extension === undefined || !extension.isActive || !extension.exports.enabled) return false;
  const repository = extension.exports.getAPI(1).getRepository(file);
  if (repository === null) return false;
  return repository.getObjectDetails('', file.fsPath).then(
    () => true,
    () => false,
  );
}
