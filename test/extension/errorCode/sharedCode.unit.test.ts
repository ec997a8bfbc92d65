import assert from 'node:assert/strict';
import { definesFrame } from '../../../src/errorCode/definitions.ts';
import { isPrivateFile } from '../../../src/errorCode/privateFiles.ts';

describe('files whose code is never shared', () => {
  const secret: readonly string[] = [
    ...['.env', '.ENV', '.env.production', 'prod.env', 'env.local', 'config/.env.js', '.github/deploy.ts', 'src/.cache/view.ts'],
    ...['id_rsa', 'ID_RSA', 'keys/id_rsa.old', 'id_ed25519.pub', 'backup-id_ecdsa', 'github_rsa', 'ssh_host_ed25519_key'],
    ...['server.pem', 'tls/server.key', 'server.key.bak', 'server.key~', 'server.pem.1', 'store.p12', 'store.pfx', 'AuthKey.p8'],
    ...['app.jks', 'debug.keystore', 'host.keytab', 'putty.ppk', 'mail.asc', 'dump.gpg', 'safe.kdbx', 'login.keychain-db'],
    ...['.npmrc', '_netrc', '.netrc', '.pypirc', 'npmrc', 'user.npmrc', '.pgpass', '.htpasswd', 'htpasswd'],
    ...[
      'kubeconfig',
      'kubeconfig.yaml',
      'prod-kubeconfig.yml',
      'prod.kubeconfig',
      '.kube/config',
      '.aws/credentials',
      '.git/config',
    ],
    ...['terraform.tfstate', 'terraform.tfstate.backup', 'terraform.tfstate.1700000000.backup', 'prod.tfvars', 'office.ovpn'],
    ...['credentials', 'credentials.json', 'config/credentials.yml.enc', 'secrets.yaml', 'secrets.toml', 'client_secret_12.json'],
    ...['service-account.json', 'service_account-prod.json', 'passwords.txt', 'vault.yml'],
  ];
  for (const file of secret) {
    it(`include ${file}`, () => {
      assert.equal(isPrivateFile(file), true);
    });
  }

  const shared: readonly string[] = [
    ...['server.js', 'src/env.ts', 'src/environment.py', 'src/keys.ts', 'src/key.go', 'src/credentials.ts', 'lib/secrets.rb'],
    ...[
      'src/tokens.rs',
      'app/pem.py',
      'src/i18n.key.ts',
      'a.b/c.d/e.java',
      'src/kube.ts',
      'lib/client_secret.py',
      'service-account.ts',
      'Dockerfile',
      'config.json',
      'id.ts',
    ],
  ];
  for (const file of shared) {
    it(`do not include ${file}`, () => {
      assert.equal(isPrivateFile(file), false);
    });
  }
});

describe('the definition of the function or class of a frame', () => {
  const found: readonly (readonly [name: string, module: string | null, code: string])[] = [
    ['load', null, 'export async function load(id) {'],
    ['async load', null, '  load = async (id: number): Promise<void> => {'],
    ['Ship.load', null, '  async load(id: number): Promise<Ship> {'],
    ['Object.load', null, 'module.exports = function load() {'],
    ['new Ship', null, 'class Ship extends Vessel {'],
    ['Ship.<anonymous>', null, 'class Ship {'],
    ['Ship.#load', null, '  #load() {'],
    ['exports.load', null, 'exports.load = (id) => {'],
    ['load', 'app.ship', 'async def load(self, id):'],
    ['Ship.load.<locals>.<lambda>', 'app.ship', '    def load(self):'],
    ['load', 'com.example.Ship', '  public static <T> Ship load(int id) throws IOException {'],
    ['load', 'com.example.Ship', '  private Ship load(\n      int id,\n      String name)\n  {'],
    ['<init>', 'com.example.Ship', 'public final class Ship {'],
    ['access$load', 'com.example.Ship$Inner', 'object Inner {'],
    ['(*Store).Load', 'example.org/berth/store', 'func (s *Store) Load(id int) error {'],
    ['Store.Load.func1', 'main', 'func (s Store) Load() {'],
    ['block in Ship#load', null, '  def self.load(id)'],
    ['App\\Ship::load', null, '    public function load(int $id): Ship'],
    ['berth::ship::load::{{closure}}', null, 'pub async fn load(id: u32) -> Result<Ship> {'],
    ['ship::Ship::load(int)', null, 'Ship *Ship::load(int id) const {'],
    ['Berth.Ship.Load(Int32 id)', null, '        public async Task<Ship> Load(int id)\n        {'],
    ['Ship.load/1', null, '  defp load(id) do'],
    ['chargé', null, 'function chargé() {'],
  ];
  for (const [name, module, code] of found) {
    it(`is found: ${name} in ${code}`, () => {
      assert.equal(definesFrame(`// A comment.\n${code}\n  fail();`, { function: name, module }), true);
    });
  }

  const code = [
    '// The function password is not here.',
    'import { load } from "./load.js";',
    'const password = "swordfish";',
    'export const settings = { user: "ana", limit: 4 };',
    'if (settings.limit > 3) {',
    '  return connect(password, settings);',
    '}',
    'describe("a ship", () => {',
    'function sail() {',
  ].join('\n');
  const hostile: readonly (readonly [name: string | null, module: string | null])[] = [
    ...[null, '', '?', '<anonymous>', '<module>', 'if', 'return', 'import', 'const', 'a', '.*', '[\\s\\S]', '(', '\\'].map(
      (name) => [name, null] as const,
    ),
    ...['password', 'load', 'connect', 'settings', 'user', 'limit', 'ana', 'swordfish', 'describe', 'sai', 'ail'].map(
      (name) => [name, null] as const,
    ),
    // Only the last names count, so that one frame cannot try all.
    ['sail or load or moor', null],
    [null, 'sail.load'],
    [`${'x '.repeat(150)}sail`, null],
  ];
  for (const [name, module] of hostile) {
    it(`is not found: ${JSON.stringify([name, module]).slice(0, 60)}`, () => {
      assert.equal(definesFrame(code, { function: name, module }), false);
    });
  }
});
