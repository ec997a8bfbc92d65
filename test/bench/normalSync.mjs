// Loaded by --import into a server: its database flushes less often than the server asks it to. The product has no such switch.
const { dlopen } = process;
process.dlopen = (module, ...more) => {
  dlopen.call(process, module, ...more);
  const { prototype } = module.exports.Database ?? {};
  if (prototype === undefined) return;
  const { prepare } = prototype;
  prototype.prepare = function (sql, ...options) {
    return prepare.call(this, sql.replace(/^PRAGMA synchronous = FULL$/, 'PRAGMA synchronous = NORMAL'), ...options);
  };
};
