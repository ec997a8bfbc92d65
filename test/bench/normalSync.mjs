// Loaded by --import into a server: makes its database flush less often than the server requests. The product has no such setting.
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
