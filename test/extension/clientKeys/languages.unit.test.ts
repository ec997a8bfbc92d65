import assert from 'node:assert/strict';
import { makeDsn } from '../../../src/contract/dsn.ts';
import { findDsns } from '../../../src/dsn/find.ts';
import { languageData, languagesOf, LANGUAGES } from '../../../src/clientKeys/languages.ts';

const DSN = makeDsn('https://gitlab.example.com', `glet_${'0'.repeat(32)}`, 7);

describe('languages of SDKs', () => {
  it('languages of SDKs are found by the package files of a workspace, the most frequent first', () => {
    const files = ['package.json', 'Cargo.toml', 'Cargo.toml', 'README.md', 'package.json', 'package.json'];
    assert.deepEqual(languagesOf(files), ['node', 'rust']);
    assert.deepEqual(languagesOf(['README.md']), []);
    assert.deepEqual(languagesOf(LANGUAGES.flatMap((language) => languageData[language].files.slice(0, 1))), LANGUAGES);
  });

  for (const language of LANGUAGES) {
    it(`the set-up of an SDK contains the DSN once: ${language}`, () => {
      const { setUp } = languageData[language];
      assert.deepEqual(
        findDsns(setUp(DSN)).map(({ text }) => text),
        [DSN],
      );
    });
  }

  it('languages of SDKs have the style that the platform documents', () => {
    const stores = LANGUAGES.filter((language) => languageData[language].style === 'store');
    assert.deepEqual(stores, ['go', 'php']);
  });
});
