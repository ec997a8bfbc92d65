// An extension that is active before every other: it keeps what the extension host looked like before Signalbox was loaded.
// Node sets its dispatcher with its first fetch; from then on it is everybody's.
exports.activate = async () => {
  await fetch('data:,');
  const { extensions } = require('vscode');
  globalThis[Symbol.for('signalbox.test.recorded')] = {
    dispatcher: globalThis[Symbol.for('undici.globalDispatcher.1')],
    wasActive: extensions.getExtension('signalbox.signalbox').isActive,
  };
};
