/** Returns the URL of the page of an error, or of the list of all errors of a project. `address` is that of the instance. */
export function errorPage(address: string, projectPath: string, errorId?: string): string {
  const all = `${address}/${projectPath.split('/').map(encodeURIComponent).join('/')}/-/error_tracking`;
  return errorId === undefined ? all : `${all}/${encodeURIComponent(errorId)}/details`;
}
