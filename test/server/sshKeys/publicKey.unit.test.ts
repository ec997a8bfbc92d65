import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readPublicKey } from '../../../server/features/sshKeys/publicKey.ts';
import { freshPublicKey, publicKeyOf } from '../../support/publicKeys.ts';

/** Example of the documentation of GitLab, with its fingerprints. */
const EXAMPLE =
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDNJAkI3Wdf0r13c8a5pEExB2YowPWCSVzfZV22pNBc1CuEbyYLHpUyaD0GwpGvFdx2aP7lMEk35k6Rz3ccBF6jRaVJyhsn5VNnW92PMpBJ/P1UebhXwsFHdQf5rTt082cSxWuk61kGWRQtk4ozt/J2DF/dIUVaLvc+z4HomT41fQ==';

describe('public keys', () => {
  it('an RSA key has the fingerprints that GitLab shows', () => {
    assert.deepEqual(readPublicKey(`  ${EXAMPLE}\n`), {
      text: EXAMPLE,
      fingerprint: '4a:9d:64:15:ed:3a:e6:07:6e:89:36:b3:3b:03:05:d9',
      fingerprintSha256: 'SHA256:Jrs3LD1Ji30xNLtTVf9NDCj7kkBgPBb2pjvTZ3HfIgU',
    });
  });

  const point = (size: number): Buffer => randomBytes(size);
  const valid: Readonly<Record<string, string>> = {
    'Ed25519 with a comment': freshPublicKey('ada at work'),
    'ECDSA with 256 bits': publicKeyOf('ecdsa-sha2-nistp256', 'nistp256', point(65)),
    'ECDSA with 521 bits': publicKeyOf('ecdsa-sha2-nistp521', 'nistp521', point(133)),
    'a security key': publicKeyOf('sk-ssh-ed25519@openssh.com', point(32), 'ssh:'),
  };
  for (const [name, key] of Object.entries(valid)) {
    it(`${name} is a key`, () => {
      assert.equal(readPublicKey(key)?.text, key);
    });
  }

  const ed25519 = publicKeyOf('ssh-ed25519', point(32));
  const invalid: Readonly<Record<string, string>> = {
    'a text': 'my key',
    'a type without content': 'ssh-ed25519',
    'content of another type': ed25519.replace('ssh-ed25519', 'ssh-rsa'),
    'content that is cut': ed25519.slice(0, -8),
    'content that is too short': publicKeyOf('ssh-ed25519', point(31)),
    'more content than belongs to the type': publicKeyOf('ssh-ed25519', point(32), 'x'),
    'a DSA key': publicKeyOf('ssh-dss', point(128), point(20), point(128), point(128)),
    'an RSA key with 512 bits': publicKeyOf('ssh-rsa', Buffer.from([1, 0, 1]), point(64)),
    'two lines': `${ed25519}\n${ed25519}`,
    'a name of an object member': 'constructor AAAA',
    'a private key': '-----BEGIN OPENSSH PRIVATE KEY-----',
  };
  for (const [name, key] of Object.entries(invalid)) {
    it(`${name} is not a key`, () => {
      assert.equal(readPublicKey(key), undefined);
    });
  }
});
