// A third-party extension that is active before Signalbox: it requests a sign-in, follows links to Signalbox and uses its tools.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { authentication, commands, env, extensions, lm, Uri, workspace } = require('vscode');

exports.activate = async ({ subscriptions }) => {
  subscriptions.push(
    commands.registerCommand('neighbour.askForToken', async () => {
      const { account, accessToken } = await authentication.getSession('signalbox', ['api'], { createIfNone: true });
      await env.clipboard.writeText(JSON.stringify({ label: account.label, accessToken }));
    }),
    // Uses the language model tool that the clipboard names, `{ name, input }`, and replaces the clipboard with its result.
    commands.registerCommand('neighbour.useTool', async () => {
      const { name, input } = JSON.parse(await env.clipboard.readText());
      const result = await lm.invokeTool(name, { input, toolInvocationToken: undefined }).then(
        ({ content }) => content.map(({ value }) => value).join(''),
        (error) => `failed: ${error.message}`,
      );
      await env.clipboard.writeText(JSON.stringify({ result }));
    }),
    // Copies the address at which a browser must open the clipboard's link to reach this window, as after signing in on a page.
    commands.registerCommand('neighbour.copyAddress', async () => {
      const link = Uri.parse(await env.clipboard.readText(), true);
      await env.clipboard.writeText((await env.asExternalUri(link)).toString(true));
    }),
  );
  // File with the path and query of a link that is followed as soon as this window is open.
  const file = workspace.getConfiguration('neighbour').get('linkFile');
  if (!file || !existsSync(file)) return;
  writeFileSync(`${file}.wasActive`, String(extensions.getExtension('signalbox.signalbox').isActive));
  await commands.executeCommand(
    'vscode.open',
    Uri.parse(`${env.uriScheme}://signalbox.signalbox${readFileSync(file, 'utf8')}`, true),
  );
};
