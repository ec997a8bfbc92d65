import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');

/** Returns the shapes of a picture without their colors. */
const shapesOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<(?:circle|path)\b[^>]*>/g)].map(([shape]) => shape.replaceAll(/ (?:fill|stroke|stroke-\w+)="[^"]*"/g, ''));

describe('the mark of Signalbox', () => {
  const manifest = JSON.parse(read('package.json'));

  it('has the same shapes in the activity bar and on the pages of the server', () => {
    const shapes = shapesOf(read('media/icons/signalbox.svg'));
    assert.equal(shapes.length, 6);
    assert.deepEqual(shapesOf(read('media/pages/logo.svg')), shapes);
    assert.equal(manifest.contributes.viewsContainers.activitybar[0].icon, 'media/icons/signalbox.svg');
  });

  it('is the icon of the status bar and of terminals, from a font, instead of an icon that VS Code uses for something else', () => {
    const { fontPath, fontCharacter } = manifest.contributes.icons['signalbox-mark'].default;
    assert.equal(readFileSync(path.join(ROOT, fontPath)).toString('latin1', 0, 4), 'wOFF');
    assert.equal(fontCharacter, '\\E001');
    assert.ok(read('src/ui/statusBar.ts').includes('$(signalbox-mark)'));
    for (const file of ['package.json', ...globSync('src/**/*.ts', { cwd: ROOT })]) {
      assert.ok(!read(file).includes('radio-tower'), file);
    }
  });
});
