import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { parametersOfUri } from '../../../src/auth/redirectFlow.ts';

describe('URIs that the editor receives', () => {
  it('URIs that VS Code receives are parsed as the browser sent them', () => {
    const sent = { code: 'a+b/c=', state: 'x_-y', iss: 'https://gitlab.example.com/~root', error_description: 'Not that, 100 %' };
    const query = Object.entries(sent).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const uri = vscode.Uri.parse(`vscode://signalbox.signalbox/oauth/callback?${query.join('&')}`, true);
    assert.equal(uri.path, '/oauth/callback');
    assert.deepEqual(Object.fromEntries(parametersOfUri(uri.query)), sent);
  });
});
